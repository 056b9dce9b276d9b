import {
  type AppContext,
  askLoop,
  findLoop,
  findLoopId,
  followLoop,
  type LoopView,
  listLoops,
  placeOf,
  removeWholeLoop,
} from '../app/index.ts';
import type { LoopError } from '../base/index.ts';
import { contextOf, type LoopContext } from '../core/index.ts';
import { parseConfig, type Status } from '../protocol/index.ts';
import type { Answer, Liveness } from '../runner/index.ts';
import { type CommandRequest, commandFrom } from './commands.ts';
import { type LandedLoop, type LandOptions, landIn } from './land.ts';
import { forPrograms, inLibrary } from './library-error.ts';
import type { EventOptions } from './loop-events.ts';
import type { EnvironmentOptions } from './run-loop.ts';
import { type LoopEvent, type LoopId, toEvents } from './to-events.ts';

/** The loops of one project, whichever process runs them. An id may be any unique prefix. */
export interface Loops {
  /** All loops. An unreadable loop does not hide the others. */
  list(): Promise<LoopList>;
  /** The current state of one loop. */
  look(id: LoopId): Promise<LoopInfo>;
  /**
   * The past and future events of a loop, across pauses, new owners and periods without one. Ends
   * after the event that ends the loop, or when the signal aborts.
   */
  follow(id: LoopId, options?: EventOptions): AsyncIterableIterator<LoopEvent>;
  /** Sends a command to a loop, through its owner if it has one, and resolves with the durable answer. */
  send(id: LoopId, request: CommandRequest, options?: SendOptions): Promise<Answer>;
  /**
   * Removes a loop and everything stored for it; the work stays in the working directory. A loop that has not
   * ended is refused without `force`.
   */
  remove(id: LoopId, options?: RemoveOptions): Promise<RemovedLoop>;
  /**
   * Brings the branch of a loop that has its own worktree back into the branch that it started from: merges both in a
   * temporary work tree, runs the checks of the loop there, and moves the branch. A landing that was interrupted
   * continues or starts over. Rejects with a `LoopError` whose code says why nothing was landed, such as
   * `LANDING_CONFLICT` or `LANDING_NOT_VERIFIED`.
   */
  land(id: LoopId, options?: LandOptions): Promise<LandedLoop>;
}

/** How a loop is removed. */
export interface RemoveOptions {
  /**
   * Also remove a loop that could be resumed or cannot be read; its owner and agent are ended first. A loop that
   * this program itself runs is refused.
   */
  readonly force?: boolean;
}

/** A loop that was removed. */
export interface RemovedLoop {
  /** Which loop it was. */
  readonly id: LoopId;
  /** The removed folders, files and git references, each with its full name. */
  readonly removed: readonly string[];
  /** The freed space. */
  readonly freedBytes: number;
  /** The processes that were ended first, as text. */
  readonly ended: readonly string[];
}

/** How long to wait for an answer. */
export interface SendOptions {
  /** Stops waiting for an answer; the command is still carried out. */
  readonly signal?: AbortSignal;
}

/** All loops of a project. */
export interface LoopList {
  /** Readable loops. */
  readonly loops: readonly LoopInfo[];
  /** Unreadable loops, and why. */
  readonly unreadable: readonly { readonly id: LoopId; readonly error: LoopError }[];
}

/** One loop, for readers. */
export interface LoopInfo {
  /** The loop's id. */
  readonly id: LoopId;
  /** Its status; a loop whose owner died is `crashed` until somebody resumes it. */
  readonly status: Status | 'idle';
  /** When to resume a waiting loop that no process runs, because its owner shut down cleanly. */
  readonly wakeAt?: string;
  /** Its state, why it stopped, its counters. */
  readonly context: LoopContext;
  /** Its task. */
  readonly task: string;
  /** Where its state is stored. */
  readonly folder: string;
  /** The process that runs it, or died while running it; missing after a clean end. */
  readonly owner?: {
    /** Its process id. */
    readonly pid: number;
    /** The machine it runs on. */
    readonly host: string;
    /** Whether it still runs, as far as this machine can tell. */
    readonly liveness: Liveness;
  };
  /** Problems with its files. */
  readonly problems: readonly string[];
}

/** Where the loops are. */
export interface OpenLoopsOptions extends Pick<EnvironmentOptions, 'env'> {
  /** Folder of all loop state, relative to the project's folder. Default: `".ralph"`. */
  readonly stateDir?: string;
}

/** The loops of a project, to list, inspect, follow and control from any program. */
export function openLoops({ stateDir }: OpenLoopsOptions, context: AppContext): Loops {
  const place = placeOf(parseConfig(stateDir === undefined ? {} : { stateDir }), context.cwd);
  return {
    list: () =>
      inLibrary(async () => {
        const { loops, unreadable } = listLoops(place);
        return {
          loops: loops.map(infoOf),
          unreadable: unreadable.map(({ loopId, error }) => ({ id: loopId, error: forPrograms(error) as LoopError })),
        };
      }),
    look: (id) => inLibrary(async () => infoOf(findLoop(place, id))),
    async *follow(id, { afterSeq, signal } = {}) {
      const loopId = await inLibrary(async () => findLoopId(place, id));
      const facts = followLoop({ loopId, root: place.root, context }, signal === undefined ? {} : { signal });
      yield* toEvents(loopId, facts, afterSeq);
    },
    send: (id, request, { signal } = {}) =>
      inLibrary(async () => {
        const telling = { place, context, signal };
        const { answer } = await askLoop(findLoop(place, id), commandFrom(request), telling);
        return answer;
      }),
    remove: (id, { force = false } = {}) =>
      inLibrary(async () => {
        const { loopId, ...report } = await removeWholeLoop(place, id, { env: context.env, force });
        return { id: loopId, ...report };
      }),
    land: (id, options = {}) => inLibrary(async () => await landIn(place, id, { options, context })),
  };
}

function infoOf({ loop, shownStatus, wakeAt, folder, owner, problems }: LoopView): LoopInfo {
  return {
    id: loop.id,
    status: shownStatus,
    ...(wakeAt === undefined ? {} : { wakeAt }),
    context: contextOf(loop),
    task: loop.origin.task,
    folder,
    ...(owner === undefined ? {} : { owner: { pid: owner.pid, host: owner.host, liveness: owner.liveness } }),
    problems,
  };
}
