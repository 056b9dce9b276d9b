import {
  type AppContext,
  type Consent,
  findLoopId,
  idOrLost,
  resumeLoop as openAgain,
  placeOf,
  type ResumeChanges,
  startLoop,
  type TemplateExtensions,
} from '../app/index.ts';
import { failures, LoopError } from '../base/index.ts';
import { givenIn, givenSettings, loadConfig, parseGiven, valueAt } from '../config/index.ts';
import { type FixedSetting, type LoopConfigInput, parseConfig, whyFixed } from '../protocol/index.ts';
import { inLibrary } from './library-error.ts';
import { type LoopHandle, runHandle } from './loop-handle.ts';
import type { LoopId } from './to-events.ts';

/** Where a program runs loops, and with which environment. */
export interface EnvironmentOptions {
  /** The folder that relative paths start from; default: the current one. */
  readonly cwd?: string;
  /** The environment of the agent, the checks and the hooks; default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Helpers and variables for prompt files that are templates. */
  readonly templates?: TemplateExtensions;
  /**
   * Whether what the project brings may run: its settings, its own tests, and loops that somebody else started. `true` for
   * this call, or a function that decides. Default: only what the user trusts already (`ralphd trust`); the rest is refused
   * with `PROJECT_NOT_TRUSTED`. Settings that the program gives itself need no trust.
   */
  readonly trustProject?: boolean | Consent;
}

/** How a run ends, and what it does when the loop pauses. */
export interface RunControl {
  /**
   * Shuts down the run and pauses the loop. If it is already aborted, nothing starts and the promise rejects with
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
  /** Start even if too many loops are active, or if another loop requires exclusive use of the working directory. */
  readonly force?: boolean;
}

/** How a loop is resumed. */
export interface ResumeLoopOptions extends EnvironmentOptions, RunControl {
  /** Folder of all loop state, relative to `cwd`. Default: `".ralph"`. */
  readonly stateDir?: string;
  /** Settings to change, above all limits that the loop has used up. */
  readonly changes?: LoopChanges;
  /**
   * Apply the current settings from `ralphd.yml`, the user's configuration and the `RALPHD_*` variables, as far as they can
   * change in an existing loop. Settings chosen for this loop, and `changes`, take precedence. Default: the loop keeps its
   * own settings.
   */
  readonly reload?: boolean;
  /**
   * Take over the loop: end the process that runs it on this machine, frozen or not, or accept that one on another
   * machine is gone. A loop that this program itself runs is refused. Also resumes a loop although four others run.
   */
  readonly force?: boolean;
  /** Continue the work of an ended loop in a new loop with its settings. */
  readonly asNew?: boolean;
  /** Accept the current versions of the files that the checks depend on. */
  readonly acceptGate?: boolean;
}

/** The settings that can change in an existing loop. */
export type LoopChanges = Omit<LoopConfigInput, FixedSetting>;

/** Starts a loop. All input is checked before anything is created. */
export async function runLoop(
  config: LoopConfigInput,
  options: RunLoopOptions,
  context: AppContext,
): Promise<LoopHandle> {
  options.signal?.throwIfAborted();
  return await inLibrary(async () => {
    const settings = parseGiven(config, 'given to runLoop()');
    const isGiven = givenIn(structuredClone(config));
    const wanted = { force: options.force === true, isGiven, chosen: givenSettings(config) };
    const driven = await startLoop(settings, context, wanted);
    return runHandle(driven, controlOf(options));
  });
}

/**
 * Resumes a loop that is paused or has lost its owner. A loop that a limit ended continues as a new loop if the limit
 * is raised, and any ended loop with `asNew`.
 */
export async function resumeLoop(id: LoopId, options: ResumeLoopOptions, context: AppContext): Promise<LoopHandle> {
  options.signal?.throwIfAborted();
  return await inLibrary(async () => {
    const { changes = {}, acceptGate = false, asNew = false, force = false, stateDir } = options;
    const place = placeOf(parseConfig(stateDir === undefined ? {} : { stateDir }), context.cwd);
    const loopId = await idOrLost(() => findLoopId(place, id), { place, env: context.env, query: id });
    const wanted = { context, changes: parseChanges(changes), acceptGate, asNew, force };
    const reload = options.reload === true ? await currentSettings(context) : {};
    return runHandle(await openAgain(loopId, place, { ...wanted, ...reload }), controlOf(options));
  });
}

function controlOf({ signal, whenPaused }: RunControl) {
  return { signal, leaveWhenPaused: whenPaused !== 'stay' };
}

/** Only the given settings change; the loop keeps all others. */
export function parseChanges(changes: LoopChanges): ResumeChanges {
  const parsed = parseGiven(changes, 'in "changes"');
  for (const name of Object.keys(changes)) {
    const why = whyFixed(name);
    if (why !== undefined) throw new LoopError(failures.settingFixed(name, why));
  }
  return Object.fromEntries(givenSettings(changes).map((path) => [path, valueAt(parsed, path.split('.'))]));
}

/** The current settings from files and variables, as the command line reads them. */
async function currentSettings({ cwd, env }: AppContext) {
  const { config, isGiven, brought } = await loadConfig({ cwd, env });
  return { reload: { config, isGiven }, brought };
}
