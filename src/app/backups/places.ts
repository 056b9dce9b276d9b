import path from 'node:path';
import { type BackupTarget, looksLikeArchive } from '../../backup/index.ts';
import { failures, LoopError } from '../../base/index.ts';
import { kindAt, nodeFiles, readStart } from '../../files/index.ts';
import { type BackupTargetConfig, backupTargetName, type LoopConfig } from '../../protocol/index.ts';
import { openTarget } from './targets.ts';

/** How a user names a place with backups. */
export interface NamedPlace {
  /** `s3://BUCKET/PREFIX`, a folder, or the name of a target in the configuration. */
  readonly from: string;
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

const defaultTimeoutMs = 60_000;

/** The place with backups that a user means. A bucket takes the rest of its settings from the configuration, if it is there. */
export function openPlace(
  { from, endpoint, region, cwd, env }: NamedPlace,
  { backup }: Pick<LoopConfig, 'backup'>,
): BackupTarget {
  const place = { workingDirectory: cwd, env };
  const named = backup.targets.find((target) => backupTargetName(target) === from);
  if (named !== undefined) return openTarget(named, place);
  if (!from.startsWith('s3://'))
    return openTarget({ type: 'folder', path: path.resolve(cwd, from), timeout: defaultTimeoutMs }, place);
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)\/?(.*?)\/?$/.exec(from) ?? [];
  if (bucket === undefined) throw new LoopError(failures.backupTargetUnusable(from, 'it names no bucket'));
  const known = backup.targets.find((target) => target.type === 's3' && target.bucket === bucket);
  const base: BackupTargetConfig = known ?? { type: 's3', timeout: defaultTimeoutMs };
  return openTarget(
    {
      ...base,
      name: from,
      bucket,
      prefix: prefix === '' ? undefined : prefix,
      ...(endpoint === undefined ? {} : { endpoint: assertUrl(from, endpoint) }),
      ...(region === undefined ? {} : { region }),
    },
    place,
  );
}

/** Whether a text names a place with backups instead of a file of the loop. */
export function namesPlace(from: string, { backup }: Pick<LoopConfig, 'backup'>): boolean {
  return from.startsWith('s3://') || backup.targets.some((target) => backupTargetName(target) === from);
}

/** What is at a path, as far as it concerns whole loops: an archive, a folder with backups, or neither. */
export async function holdsArchive(file: string): Promise<'archive' | 'place' | undefined> {
  const kind = await kindAt(file);
  if (kind === 'folder') return 'place';
  return kind === 'file' && looksLikeArchive(readStart(nodeFiles, file, Buffer.alloc(512))) ? 'archive' : undefined;
}

function assertUrl(from: string, endpoint: string): string {
  const isUrl = URL.canParse(endpoint) && ['http:', 'https:'].includes(new URL(endpoint).protocol);
  if (!isUrl) throw new LoopError(failures.backupTargetUnusable(from, 'its endpoint is not an http or https URL'));
  return endpoint;
}
