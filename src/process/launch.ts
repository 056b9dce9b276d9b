import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Exited, type NotStarted, notStarted, type Signalled } from './ending.ts';
import { explainFailure } from './explain-failure.ts';
import { identityOf } from './identity.ts';
import { withMarker } from './marker.ts';
import type { ProcessRow } from './process-row.ts';
import { signalGroup } from './signals.ts';
import type { Exit, Subject } from './subject.ts';
import { processTable } from './table.ts';

/** A command: a text is the user's own shell line, a list runs without a shell. */
export type Command = string | readonly string[];

/** What is needed to start one command. */
export interface LaunchOptions {
  readonly command: Command;
  readonly cwd: string;
  /** The whole environment; only the marker is added to it. */
  readonly env: NodeJS.ProcessEnv;
  readonly marker: string;
}

/** A command that became a process. */
export interface Launched extends Subject<Exited | Signalled> {
  readonly kind: 'launched';
  readonly child: ChildProcess;
}

/** Starts a command in its own process group. */
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
    return explainFailure(file, options, error);
  }
}

/** A program and its arguments. */
export function toArguments(command: Command): readonly string[] {
  return typeof command === 'string' ? ['/bin/sh', '-c', command] : command;
}

function attach(child: ChildProcess, pid: number): Launched {
  const exited = new Promise<Exit<Exited | Signalled>>((resolve) => {
    // Read in the same tick in which the first process freed its number: later it could belong to another.
    child.once('exit', (code, signal) => resolve({ ending: naturalEnding(code, signal), left: leftOfGroup(pid) }));
  });
  // A later failure to signal shows in the sweep; without a listener it would end ralphd.
  child.on('error', () => {});
  // The process can't be collected before this tick ends, so the table still shows it even if it has ended.
  if (identityOf(pid) === undefined) {
    signalGroup(pid, 'SIGKILL');
    throw new Error(`process ${pid} is missing from the process table`);
  }
  // The group number is certainly ours only until its first process is collected; after that, go by identity.
  const signal = (name: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) signalGroup(pid, name);
  };
  return { kind: 'launched', child, pid, exited, signal, left: () => leftOfGroup(pid) };
}

function naturalEnding(code: number | null, signal: NodeJS.Signals | null): Exited | Signalled {
  return signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'signalled', signal };
}

function leftOfGroup(pid: number): readonly ProcessRow[] {
  return signalGroup(pid, 0) ? processTable.inGroup(pid) : [];
}
