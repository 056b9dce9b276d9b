import { timestamp } from '../app/index.ts';
import { failures, LoopError } from '../base/index.ts';
import { detectClaim } from '../core/index.ts';
import { DEFAULT_COMPLETION_PROMISE, DEFAULT_MAX_ITERATIONS } from './constants.ts';
import { findPromise } from './detection.ts';
import { buildContinuationPrompt } from './directive.ts';
import { type UltraplanOptions, ultraplanFolder } from './folder.ts';
import { canStartMode, endMode, getActiveModes, ralphLoopMetadata, writeMarker } from './modes.ts';
import {
  assertRalphLoop,
  clearRalphLoopState,
  incrementIteration,
  type RalphLoopState,
  readRalphLoopState,
  statePath,
  writeRalphLoopState,
} from './state.ts';

/** What a loop may do differently from the defaults. */
export interface RalphLoopConfig {
  /** How many iterations it may take. Default: 100. */
  readonly maxIterations?: number;
  /** What the agent writes between promise tags when the task is done. Default: DONE. */
  readonly completionPromise?: string;
}

/** What follows when an agent stops. */
export type RalphLoopStep =
  /** No loop is active: the agent may stop. */
  | { readonly action: 'none' }
  /** The agent gave the promise: the loop has ended. */
  | { readonly action: 'completed'; readonly state: RalphLoopState }
  /** The last iteration ended without the promise: the loop has ended. */
  | { readonly action: 'limit'; readonly state: RalphLoopState; readonly foundPromise: string | null }
  /** The next iteration is on record: give the agent this prompt. `foundPromise` is another promise that it gave. */
  | {
      readonly action: 'continue';
      readonly state: RalphLoopState;
      readonly prompt: string;
      readonly foundPromise: string | null;
    };

/**
 * Starts a loop: stores its state and registers the mode `executing`. Refused with a `LoopError` while a loop or a mode
 * is active that excludes it.
 *
 * @param prompt the task.
 * @param config what differs from the defaults.
 * @param options where the project is.
 */
export function startRalphLoop(
  prompt: string,
  config: RalphLoopConfig = {},
  options: UltraplanOptions = {},
): RalphLoopState {
  const state: RalphLoopState = {
    active: true,
    iteration: 1,
    maxIterations: config.maxIterations ?? DEFAULT_MAX_ITERATIONS,
    completionPromise: config.completionPromise ?? DEFAULT_COMPLETION_PROMISE,
    startedAt: timestamp(),
    prompt,
  };
  assertRalphLoop(state);
  return ultraplanFolder(options).whileLocked(() => {
    if (isRalphLoopActive(options)) throw new LoopError(failures.ralphLoopActive(statePath(options)));
    const { blockedBy } = canStartMode('executing', options);
    if (blockedBy !== undefined) throw new LoopError(failures.modeActive('executing', blockedBy));
    writeRalphLoopState(state, options);
    writeMarker('executing', ralphLoopMetadata, options);
    return state;
  });
}

/** Ends the loop of a project: removes its state and unregisters its mode. Without a loop, nothing happens. */
export function endRalphLoop(options: UltraplanOptions = {}): void {
  const folder = ultraplanFolder(options);
  if (folder.exists()) folder.whileLocked(() => removeLoop(options));
}

/** Whether the project has a loop to continue, whichever process or session started it. */
export function isRalphLoopActive(options: UltraplanOptions = {}): boolean {
  return readRalphLoopState(options)?.active === true;
}

/**
 * The step of an orchestrator when its agent stops: ends the loop if the agent gave the promise or the iterations are
 * used up, else records the next iteration and returns its prompt.
 *
 * @param text what the assistant wrote in this iteration; text that it only repeats from its prompt is no promise.
 * @param options where the project is.
 */
export function continueRalphLoop(text: string, options: UltraplanOptions = {}): RalphLoopStep {
  const folder = ultraplanFolder(options);
  return folder.exists() ? folder.whileLocked(() => nextStep(text, options)) : { action: 'none' };
}

function nextStep(text: string, options: UltraplanOptions): RalphLoopStep {
  const state = readRalphLoopState(options);
  if (state?.active !== true) return { action: 'none' };
  const claim = {
    promise: state.completionPromise,
    match: 'anywhere',
    prompt: buildContinuationPrompt(state),
  } as const;
  if (detectClaim(text, claim)) {
    removeLoop(options);
    return { action: 'completed', state };
  }
  const foundPromise = findPromise(text);
  if (state.iteration >= state.maxIterations) {
    removeLoop(options);
    return { action: 'limit', state, foundPromise };
  }
  const next = incrementIteration(state);
  writeRalphLoopState(next, options);
  return { action: 'continue', state: next, prompt: buildContinuationPrompt(next), foundPromise };
}

function removeLoop(options: UltraplanOptions): void {
  clearRalphLoopState(options);
  const executing = getActiveModes(options).find(({ mode }) => mode === 'executing');
  // What another program executes is not part of the loop.
  if (executing === undefined || executing.metadata['mode'] === ralphLoopMetadata['mode']) {
    endMode('executing', options);
  }
}
