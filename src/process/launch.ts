import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import type { NotStarted } from './ending.ts';
import { findExecutable } from './find-executable.ts';
import { identityOf, type ProcessIdentity } from './identity.ts';
import { withMarker } from './marker.ts';
import type { ProcessRow } from './process-row.ts';
import { signalGroup } from './signals.ts';
import { processTable } from './table.ts';

/** A command: a text is the user's own shell line, a list runs without a shell. */
export type Command = string | readonly string[];

/** What it takes to start one command. */
export interface LaunchOptions {
  readonly command: Command;
  readonly cwd: string;
  /** The whole environment; only the marker is added to it. */
  readonly env: NodeJS.ProcessEnv;
  readonly marker: string;
}

/** The moment the first process of a command ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What was left of its process group at that moment. */
  readonly left: readonly ProcessRow[];
}

/** A command that became a process. */
export interface Launched {
  readonly kind: 'launched';
  readonly child: ChildProcess;
  readonly pid: number;
  readonly identity: ProcessIdentity;
  readonly exited: Promise<Exit>;
}

/** Starts a command in a process group of its own. */
export async function launch(options: LaunchOptions, stdio: StdioOptions): Promise<Launched | NotStarted> {
  const [file, ...args] = toArguments(options.command);
  if (file === undefined || file === '') return notStarted('command', 'EINVAL', 'The command is empty.');
  const { cwd } = options;
  const env = withMarker(options.env, options.marker);
  try {
    const child = spawn(file, args, { cwd, env, stdio, detached: true });
    if (child.pid === undefined) throw (await once(child, 'error'))[0];
    return attach(child, child.pid);
  } catch (error) {
    return explain(file, options, error);
  }
}

/** Says that a command did not become a process. */
export function notStarted(what: NotStarted['what'], code: string, message: string): NotStarted {
  return { kind: 'not_started', what, code, message };
}

/** The system's word for an error, such as ENOENT. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'UNKNOWN';
}

function toArguments(command: Command): readonly string[] {
  return typeof command === 'string' ? ['/bin/sh', '-c', command] : command;
}

function attach(child: ChildProcess, pid: number): Launched {
  const exited = new Promise<Exit>((resolve) => {
    // Looked at in the same tick in which the number of the first process became free: later it could be another's.
    child.once('exit', (code, signal) => resolve({ code, signal, left: leftOfGroup(pid) }));
  });
  // A later failure to signal shows in the sweep; without a listener it would end ralphd.
  child.on('error', () => {});
  // The process can't be collected before this tick ends, so the table still shows it even if it has ended.
  const identity = identityOf(pid);
  if (identity === undefined) {
    signalGroup(pid, 'SIGKILL');
    throw new Error(`process ${pid} is missing from the process table`);
  }
  return { kind: 'launched', child, pid, identity, exited };
}

function leftOfGroup(pid: number): readonly ProcessRow[] {
  return signalGroup(pid, 0) ? processTable.inGroup(pid) : [];
}

function explain(file: string, options: LaunchOptions, error: unknown): NotStarted {
  const { cwd, env } = options;
  const code = errorCode(error);
  if (!isFolder(cwd)) return notStarted('directory', code, `The working directory ${cwd} does not exist.`);
  if (code === 'ENOENT' && findExecutable(file, { PATH: env['PATH'], cwd }) !== undefined) {
    return notStarted('command', 'ENOEXEC', `${file} exists, but the interpreter named in its first line does not.`);
  }
  if (code === 'ENOENT') return notStarted('command', code, `${file} was not found.`);
  if (code === 'EACCES') return notStarted('command', code, `${file} may not be executed.`);
  return notStarted('command', code, `${file} could not be started (${code}).`);
}

function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
