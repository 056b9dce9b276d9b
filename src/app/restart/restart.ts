import path from 'node:path';
import { failures, isSecretName, LoopError } from '../../base/index.ts';
import { isTerminal } from '../../core/index.ts';
import {
  listUserFiles,
  look,
  nodeFiles,
  putUserFile,
  quietly,
  readUserFile,
  removeUserFile,
} from '../../files/index.ts';
import { findExecutable, runToEnd } from '../../process/index.ts';
import { foldState } from '../adapters/fold-state.ts';
import { type LoopPlace, openStore } from '../stores.ts';
import { type Restarter, restarterOf } from './places.ts';

/** A loop to resume after a reboot. */
export interface RestartRequest {
  readonly loopId: string;
  readonly place: LoopPlace;
  /** The folder in which the loop was started, with its configuration. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The command that resumes the loop. */
  readonly command: readonly string[];
}

/** What was set up for a loop. */
export interface RestartSetup {
  readonly file: string;
  /** What the user still has to run, and why ralphd could not. */
  readonly toDo?: { readonly command: string; readonly why: string };
  /** Whether it starts at boot; otherwise it starts when the user logs in. */
  readonly atBoot: boolean;
  /** Where the user can add variables that ralphd does not store. */
  readonly environmentFile: string;
  /** Variables with secrets, which are not passed to the command. */
  readonly withheld: readonly string[];
}

const commandMs = 20_000;

/** Variables that a loop may need after a reboot and that are not secret. Others come from the system or the user's file. */
const inherited =
  /^(?:PATH|LANG|LC_\w+|TZ|XDG_(?:CONFIG|STATE|DATA|CACHE)_HOME|CLAUDE_CONFIG_DIR|CODEX_HOME|RALPHD_\w+_BINARY)$/;

/** Refuses a loop that this system cannot restart. */
export function assertRestartable({ cwd, place, env }: Pick<RestartRequest, 'cwd' | 'place' | 'env'>): void {
  const restarter = restarterOf(env);
  if (restarter === undefined)
    throw new LoopError(failures.restartUnsupported('this system has neither systemd nor launchd'));
  const bad = [cwd, place.root].find((folder) => !restarter.canEnter(folder));
  if (bad !== undefined) throw new LoopError(failures.restartUnsupported(`it cannot name the folder ${bad}`));
}

/** Makes the system resume a loop after every reboot until the loop ends. */
export async function setUpRestart({ loopId, place, cwd, env, command }: RestartRequest): Promise<RestartSetup> {
  const restarter = restarterOf(env);
  if (restarter === undefined)
    throw new LoopError(failures.restartUnsupported('this system has neither systemd nor launchd'));
  const file = path.join(restarter.folder, restarter.name(loopId));
  const before = readUserFile(file);
  if (before !== undefined && !belongsTo(restarter, before, place)) throw new LoopError(failures.restartTaken(file));
  const variables = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      inherited.test(name) && !isSecretName(name) && value !== undefined ? [[name, value] as const] : [],
    ),
  );
  const environmentFile = environmentFileOf(env);
  putUserFile(file, restarter.render({ loopId, command, workingDirectory: cwd, variables, environmentFile }));
  const toDo = await runAll(restarter.enable(loopId), env);
  // A loop that ended before the file existed could not remove it.
  if (isOver(loopId, place)) await removeRestart(loopId, place, env);
  return {
    file,
    ...(toDo === undefined ? {} : { toDo }),
    atBoot: isLingering(env),
    environmentFile,
    withheld: Object.keys(env).filter(isSecretName).sort(),
  };
}

/** Removes what `setUpRestart` wrote for a loop, if anything. */
export async function removeRestart(
  loopId: string,
  place: Pick<LoopPlace, 'root'>,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const restarter = restarterOf(env);
  if (restarter === undefined || !removeFile(restarter, loopId, place)) return;
  await runAll(restarter.forget, env);
}

/** A file that would start a loop that has ended or is gone. */
export interface LeftRestart {
  readonly loopId: string;
  readonly file: string;
  readonly bytes: number;
}

/** Restart files of this place's loops that are no longer needed. */
export function leftRestarts(place: LoopPlace, env: NodeJS.ProcessEnv): readonly LeftRestart[] {
  const restarter = restarterOf(env);
  if (restarter === undefined) return [];
  return listUserFiles(restarter.folder).flatMap((name) => {
    const loopId = restarter.loopOf(name);
    const file = path.join(restarter.folder, name);
    const text = loopId === undefined ? undefined : readUserFile(file);
    if (loopId === undefined || text === undefined || !belongsTo(restarter, text, place)) return [];
    return isOver(loopId, place) ? [{ loopId, file, bytes: Buffer.byteLength(text) }] : [];
  });
}

/** Removes one of them. */
export function removeLeftRestart({ loopId }: LeftRestart, place: LoopPlace, env: NodeJS.ProcessEnv): void {
  const restarter = restarterOf(env);
  if (restarter !== undefined) removeFile(restarter, loopId, place);
}

function removeFile(restarter: Restarter, loopId: string, place: Pick<LoopPlace, 'root'>): boolean {
  const file = path.join(restarter.folder, restarter.name(loopId));
  const text = readUserFile(file);
  if (text === undefined || !belongsTo(restarter, text, place)) return false;
  for (const link of restarter.links(loopId)) quietly(() => removeUserFile(link));
  removeUserFile(file);
  return true;
}

/** Loops of two projects may have the same name, so a file counts only for the state folder it names. */
function belongsTo({ word }: Restarter, text: string, { root }: Pick<LoopPlace, 'root'>): boolean {
  return text.includes(word(root));
}

function isOver(loopId: string, place: LoopPlace): boolean {
  try {
    const store = openStore(place);
    return !store.has(loopId) || isTerminal(foldState(store.read(loopId)).status);
  } catch (error) {
    // An unreadable loop may still need its file.
    if (error instanceof LoopError) return false;
    throw error;
  }
}

function environmentFileOf({ HOME: home = '/', XDG_CONFIG_HOME: config }: NodeJS.ProcessEnv): string {
  const own = config !== undefined && path.isAbsolute(config) ? config : path.join(home, '.config');
  return path.join(own, 'ralphd', 'environment');
}

function isLingering({ USER: user }: NodeJS.ProcessEnv): boolean {
  return user !== undefined && look(nodeFiles, path.join('/var/lib/systemd/linger', path.basename(user))) !== undefined;
}

/** Runs commands until one fails; returns that one and why. */
async function runAll(
  commands: readonly (readonly string[])[],
  env: NodeJS.ProcessEnv,
): Promise<RestartSetup['toDo'] | undefined> {
  for (const [program = '', ...args] of commands) {
    const command = [program, ...args].join(' ');
    const file = findExecutable(program, { PATH: env['PATH'], cwd: '/' });
    if (file === undefined)
      return { command: commands.at(-1)?.join(' ') ?? command, why: `${program} is not installed` };
    const { ending, output } = await runToEnd({ command: [file, ...args], cwd: '/', env, timeoutMs: commandMs });
    if (ending.kind === 'exited' && ending.code === 0) continue;
    const why = output.trim().split('\n').at(-1) || `"${command}" failed`;
    return { command: commands.at(-1)?.join(' ') ?? command, why };
  }
  return undefined;
}
