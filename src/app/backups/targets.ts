import path from 'node:path';
import {
  type BackupTarget,
  type Credentials,
  createCommandTarget,
  createFolderTarget,
  createS3Target,
  credentialsIn,
  folderProblem,
  parseCredentialsFile,
  partBytesFor,
  type Sealing,
  throttle,
} from '../../backup/index.ts';
import { failures, LoopError, type Secret, sha256 } from '../../base/index.ts';
import { readUserFile } from '../../files/index.ts';
import { resolveSetting } from '../../notify/index.ts';
import { type BackupTargetConfig, backupTargetName, type LoopConfig } from '../../protocol/index.ts';
import { thisMachine } from '../machine.ts';

/** Where a loop works, and the environment of its owner. */
export interface TargetPlace {
  readonly workingDirectory: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A target that can be used. */
export interface OpenTarget {
  readonly name: string;
  /** Identifies the place and for whom it is encrypted. */
  readonly place: string;
  readonly sealing?: Sealing | undefined;
  readonly maxPartBytes: number;
  /** The target for one backup; dispose of it afterwards. */
  open(): BackupTarget & Partial<Disposable>;
}

/** The targets of a configuration. One whose secrets cannot be read is refused when it is opened. */
export function targetsOf({ backup }: Pick<LoopConfig, 'backup'>, place: TargetPlace): readonly OpenTarget[] {
  const { targets, recipients } = backup;
  const sealing = recipients.length === 0 ? undefined : { recipients };
  return targets.map((target) => {
    const { timeout: _, maxBytesPerSecond, ...identity } = target;
    return {
      name: backupTargetName(target),
      place: sha256(JSON.stringify([identity, recipients])),
      sealing,
      maxPartBytes: partBytesFor(maxBytesPerSecond),
      open: () => withBandwidth(openTarget(target, place), maxBytesPerSecond),
    };
  });
}

function withBandwidth(target: BackupTarget & Partial<Disposable>, bytesPerSecond: number | undefined) {
  if (bytesPerSecond === undefined) return target;
  const { clock } = thisMachine;
  const wait = async (ms: number, signal: AbortSignal) => await clock.waitUntil(clock.nowMs() + ms, signal);
  return throttle(target, bytesPerSecond, wait);
}

/** Refuses targets that cannot work, before a loop starts. */
export async function assertTargetsWork(config: Pick<LoopConfig, 'backup'>, place: TargetPlace): Promise<void> {
  for (const { open } of targetsOf(config, place)) open()[Symbol.dispose]?.();
  for (const target of config.backup.targets) {
    const { type, path: folder } = target;
    if (type !== 'folder' || folder === undefined) continue;
    const absolute = path.resolve(place.workingDirectory, folder);
    const why = isWithin(place.workingDirectory, absolute)
      ? `${absolute} is in the working directory, where the agent can change it`
      : await folderProblem(absolute);
    if (why !== undefined) throw unusable(target, why);
  }
}

/** The secrets that targets refer to, as far as they can be read, each with the name that replaces it in texts. */
export function secretsOfTargets({ backup }: Pick<LoopConfig, 'backup'>, place: TargetPlace): readonly Secret[] {
  return backup.targets.flatMap((target) => {
    if (target.type !== 's3') return [];
    try {
      const { secretAccessKey, sessionToken } = credentialsOf(target, place);
      const token = sessionToken === undefined ? [] : [{ name: 'sessionToken', value: sessionToken }];
      return [{ name: 'secretAccessKey', value: secretAccessKey }, ...token];
    } catch (error) {
      if (error instanceof LoopError) return [];
      throw error;
    }
  });
}

/** Opens one target. */
export function openTarget(target: BackupTargetConfig, place: TargetPlace): BackupTarget & Partial<Disposable> {
  const { workingDirectory: cwd, env } = place;
  const { type, path: folder, bucket, run } = target;
  const name = backupTargetName(target);
  if (type === 'folder' && folder !== undefined) {
    return createFolderTarget({ name, folder: path.resolve(cwd, folder) });
  }
  if (type === 'command' && run !== undefined) return createCommandTarget({ name, run, cwd, env });
  if (type !== 's3' || bucket === undefined) throw unusable(target, 'it does not say where it is');
  const credentials = credentialsOf(target, place);
  const region = target.region ?? (env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || 'us-east-1');
  const endpoint = target.endpoint ?? (env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL'] || undefined);
  return createS3Target({
    name,
    bucket,
    prefix: target.prefix ?? '',
    endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`,
    region,
    pathStyle: target.pathStyle ?? endpoint !== undefined,
    credentials,
    timeoutMs: target.timeout,
    nowMs: thisMachine.clock.nowMs,
  });
}

/** The credentials that a target refers to, or those of AWS's own tools: their variables, then their file. */
function credentialsOf(target: BackupTargetConfig, { workingDirectory: cwd, env }: TargetPlace): Credentials {
  const { accessKeyId, secretAccessKey, sessionToken, profile } = target;
  const read = (setting: string) => {
    const resolved = resolveSetting(setting, { env, cwd });
    if (!resolved.ok) throw unusable(target, resolved.why);
    return resolved.value;
  };
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    const token = sessionToken === undefined ? {} : { sessionToken: read(sessionToken) };
    return { accessKeyId: read(accessKeyId), secretAccessKey: read(secretAccessKey), ...token };
  }
  const own = profile === undefined ? credentialsIn(env) : undefined;
  const wanted = profile ?? (env['AWS_PROFILE'] || 'default');
  const file = env['AWS_SHARED_CREDENTIALS_FILE'] || path.join(env['HOME'] ?? '', '.aws', 'credentials');
  const found = own ?? parseCredentialsFile(readUserFile(file) ?? '', wanted);
  if (found !== undefined) return found;
  throw unusable(
    target,
    `there are no credentials: neither in AWS_ACCESS_KEY_ID nor in the profile "${wanted}" of ${file}`,
  );
}

function isWithin(folder: string, place: string): boolean {
  const below = path.relative(folder, place);
  return below === '' || !(below === '..' || below.startsWith(`..${path.sep}`) || path.isAbsolute(below));
}

function unusable(target: BackupTargetConfig, why: string): LoopError {
  return new LoopError(failures.backupTargetUnusable(backupTargetName(target), why));
}
