import type { Loop, LoopCommand } from '../core/index.ts';
import type { Stream } from '../process/index.ts';
import type { AttemptKey } from '../runner/index.ts';
import type { AnsweredLoop } from './adapters/command-answers.ts';
import type { LoopView } from './loop-view.ts';
import type { RemovalReport } from './removal-report.ts';

/** How a command reaches a loop that lives elsewhere. */
export type AskRemote = (
  view: LoopView,
  command: LoopCommand,
  options: { readonly signal?: AbortSignal | undefined; readonly patienceMs?: number | undefined },
) => Promise<AnsweredLoop>;

/** Where all of the output of agents is of which a copy has the end. */
export interface OutputElsewhere {
  /** How many bytes the copy lacks at the beginning of an output; undefined if it has nothing of it. */
  missing(key: AttemptKey, stream: Stream): WholeOutput | undefined;
  /** Whether nothing more comes of an attempt. */
  isComplete(key: AttemptKey): boolean;
  /** Where the newest output is, if any is known. */
  readonly newest: Omit<WholeOutput, 'bytes'> | undefined;
}

/** Where all of an output is. */
export interface WholeOutput {
  readonly host: string;
  readonly folder: string;
  /** What the copy lacks of it at the beginning. */
  readonly bytes: number;
}

/** A loop that waits for its first worker, or was set aside. */
export interface UndrivenLoop {
  readonly id: string;
  readonly title: string;
  readonly isSetAside: boolean;
  /** What stands in the way, if that is known. */
  readonly why: string | undefined;
  readonly submittedAt: string;
  readonly isStarted: boolean;
}

/** Where the work of a loop is, for whoever has the repository. */
export interface WorkElsewhere {
  /** The shared repository, without a password. */
  readonly repository: string;
  /** The branch of the loop there. */
  readonly branch: string;
  /** What it started from, as it was submitted. */
  readonly ref: string | undefined;
}

/** Loops of which a state folder has only a copy. */
export interface RemoteLoops {
  /** Where the work of a loop is; undefined for one that was not submitted. */
  workOf(loopId: string): Promise<WorkElsewhere | undefined>;
  /** Gets the work of a loop into a repository as a branch, and returns the loop as if it had worked there. */
  bringWork(loop: Loop, wanted: { readonly into: string; readonly commit: boolean }): Promise<Loop>;
  /** Removes a loop that nobody drives, with everything that is stored for it. */
  remove(loopId: string, options: { readonly force: boolean }): Promise<RemovalReport>;
  /** Loops that no worker has started yet, and those that could not be continued, as of the last look. */
  undriven(): readonly UndrivenLoop[];
  readonly ask: AskRemote;
  /** Fetches what is known of the output of a loop's agents; to follow it, also what comes later. */
  fetchOutput(loopId: string, options: { readonly follow: boolean }): Promise<OutputElsewhere>;
}

const remotes = new Map<string, RemoteLoops>();

/** From now on, commands to the loops of this state folder go elsewhere. */
export function rememberRemote(root: string, loops: RemoteLoops): Disposable {
  remotes.set(root, loops);
  return { [Symbol.dispose]: () => void remotes.delete(root) };
}

/** Where the loops of a state folder live, if not there. */
export function remoteLoopsAt(root: string): RemoteLoops | undefined {
  return remotes.get(root);
}

/** Where the work of a loop is, if it is driven elsewhere and that can be read. */
export async function workElsewhere(
  { root }: { readonly root: string },
  loopId: string,
): Promise<WorkElsewhere | undefined> {
  return await remotes
    .get(root)
    ?.workOf(loopId)
    .catch(() => undefined);
}
