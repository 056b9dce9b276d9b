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
import { forPrograms, inLibrary } from './library-error.ts';
import type { EventOptions } from './loop-events.ts';
import type { LoopEvent, LoopId } from './loop-handle.ts';
import type { EnvironmentOptions } from './run-loop.ts';

/** The loops of one project, whoever runs them. An id may be any unique beginning of one. */
export interface Loops {
  /** All loops. One that cannot be read does not hide the others. */
  list(): Promise<LoopList>;
  /** One loop as it stands now. */
  look(id: LoopId): Promise<LoopInfo>;
  /**
   * The events of a loop, past ones too, and then those to come: over pauses, new owners and times without one. Ends
   * after the event that ends the loop, or when the signal aborts.
   */
  follow(id: LoopId, options?: EventOptions): AsyncIterableIterator<LoopEvent>;
  /** Tells a loop to do something, through its owner if it has one, and resolves with the durable answer. */
  send(id: LoopId, request: CommandRequest, options?: SendOptions): Promise<Answer>;
  /**
   * Removes a loop with everything that ralphd keeps for it; the work stays in the working directory. One that has not
   * ended is refused without `force`.
   */
  remove(id: LoopId, options?: RemoveOptions): Promise<RemovedLoop>;
}

/** How a loop is removed. */
export interface RemoveOptions {
  /**
   * Remove a loop that could go on, or that cannot be read, too: its owner and its agent are ended first. A loop that
   * this very program drives is refused.
   */
  readonly force?: boolean;
}

/** A loop that was removed. */
export interface RemovedLoop {
  /** Which loop it was. */
  readonly id: LoopId;
  /** The folders, files and git references that were removed, each with its whole name. */
  readonly removed: readonly string[];
  /** How much that was. */
  readonly freedBytes: number;
  /** What was ended first, in words. */
  readonly ended: readonly string[];
}

/** How long a sender waits. */
export interface SendOptions {
  /** Ends the waiting for an answer; the command stays and is carried out. */
  readonly signal?: AbortSignal;
}

/** All loops of a project. */
export interface LoopList {
  /** Those that can be read. */
  readonly loops: readonly LoopInfo[];
  /** Those that cannot, and why. */
  readonly unreadable: readonly { readonly id: LoopId; readonly error: LoopError }[];
}

/** One loop, seen from outside. */
export interface LoopInfo {
  /** The loop's id. */
  readonly id: LoopId;
  /** Its status; a loop whose owner died is `crashed` until somebody resumes it. */
  readonly status: Status | 'idle';
  /** When to resume a loop that waits and that nobody runs, because its owner left in good order. */
  readonly wakeAt?: string;
  /** Its state, why it stopped, its counters. */
  readonly context: LoopContext;
  /** What it is to do. */
  readonly task: string;
  /** Where its state is kept. */
  readonly folder: string;
  /** The process that runs it, or died running it; missing after a good end. */
  readonly owner?: {
    /** The process. */
    readonly pid: number;
    /** The machine that it runs on. */
    readonly host: string;
    /** Whether it still runs, as far as can be told from here. */
    readonly liveness: Liveness;
  };
  /** What is wrong with its files. */
  readonly problems: readonly string[];
}

/** Where the loops are. */
export interface OpenLoopsOptions extends Pick<EnvironmentOptions, 'env'> {
  /** Folder of all loop state, relative to the project's folder. Default: `".ralph"`. */
  readonly stateDir?: string;
}

/** The loops of a project, to list, look at, follow and control from any program. */
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
    async *follow(id, options) {
      const loopId = await inLibrary(async () => findLoopId(place, id));
      yield* followLoop({ loopId, root: place.root, context }, options);
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
