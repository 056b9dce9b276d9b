import {
  type AppContext,
  resumeLoop as openAgain,
  placeOf,
  type ResumeChanges,
  resumeSettings,
  startLoop,
} from '../app/index.ts';
import { failures, LoopError } from '../base/index.ts';
import { givenIn } from '../config/index.ts';
import { type LoopConfigInput, parseConfig } from '../protocol/index.ts';
import { inLibrary } from './library-error.ts';
import { type LoopHandle, type LoopId, runHandle } from './loop-handle.ts';

/** Where a program runs loops, and with which environment. */
export interface EnvironmentOptions {
  /** The folder that relative paths start from; the current one when left out. */
  readonly cwd?: string;
  /** The environment of the agent, the checks and the hooks; that of this process when left out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** How a run is ended and what it does when the loop pauses. */
export interface RunControl {
  /**
   * Shuts the run down and leaves the loop paused. One that is already aborted starts nothing: the promise rejects with
   * its reason.
   */
  readonly signal?: AbortSignal;
  /**
   * When the loop pauses: `leave` it to a later `resumeLoop`, so that `result` settles, or `stay` with it and wait for
   * a command. Default: `leave`.
   */
  readonly whenPaused?: 'stay' | 'leave';
}

/** How a new loop is run. */
export interface RunLoopOptions extends EnvironmentOptions, RunControl {
  /** Start although too many loops are live, or share the working directory of one that wants it for itself. */
  readonly force?: boolean;
}

/** How a loop is resumed. */
export interface ResumeLoopOptions extends EnvironmentOptions, RunControl {
  /** Folder of all loop state, relative to `cwd`. Default: `".ralph"`. */
  readonly stateDir?: string;
  /** Settings that the loop gets from now on, above all limits that it has used up. */
  readonly changes?: LoopChanges;
  /** Continue the work of a loop that has ended, in a new loop with its settings. */
  readonly asNew?: boolean;
  /** Accept the files that affect the checks as they are now: the user changed them. */
  readonly acceptGate?: boolean;
  /**
   * Resume although too many loops are live, and take the loop over from its owner: one on this machine is ended first, one
   * on another machine may still be running.
   */
  readonly force?: boolean;
}

/** The settings that a loop may get when it is resumed. */
export type LoopChanges = Pick<
  LoopConfigInput,
  Extract<keyof LoopConfigInput, `max${string}`> | 'onLimit' | 'allowBrokenBaseline' | 'stopConditions'
>;

/** Starts a loop. Everything that can be wrong is found before anything is created. */
export async function runLoop(
  config: LoopConfigInput,
  options: RunLoopOptions,
  context: AppContext,
): Promise<LoopHandle> {
  options.signal?.throwIfAborted();
  return await inLibrary(async () => {
    const settings = parseConfig(config);
    const isGiven = givenIn(structuredClone(config));
    const driven = await startLoop(settings, context, { force: options.force === true, isGiven });
    return runHandle(driven, controlOf(options));
  });
}

/**
 * Goes on with a loop that is paused or has lost its owner. A loop that a limit ended continues as a new loop when a limit
 * is raised, and any ended loop with `asNew`.
 */
export async function resumeLoop(id: LoopId, options: ResumeLoopOptions, context: AppContext): Promise<LoopHandle> {
  options.signal?.throwIfAborted();
  return await inLibrary(async () => {
    const { changes = {}, acceptGate = false, asNew = false, force = false, stateDir } = options;
    const place = placeOf(parseConfig(stateDir === undefined ? {} : { stateDir }), context.cwd);
    const driven = await openAgain(id, place, { context, changes: parseChanges(changes), acceptGate, asNew, force });
    return runHandle(driven, controlOf(options));
  });
}

function controlOf({ signal, whenPaused }: RunControl) {
  return { signal, leaveWhenPaused: whenPaused !== 'stay' };
}

function parseChanges(changes: LoopChanges): ResumeChanges {
  const parsed = parseConfig(changes);
  const allowed = [...resumeSettings, 'stopConditions'] as const;
  const other = Object.keys(changes).find((key) => !(allowed as readonly string[]).includes(key));
  if (other !== undefined) throw new LoopError(failures.configUnknownKey(other, 'in "changes"'));
  const given = allowed.filter((key) => changes[key] !== undefined);
  return Object.fromEntries(given.map((key) => [key, parsed[key]]));
}
