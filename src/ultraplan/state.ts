import { failures, LoopError } from '../base/index.ts';
import { readDocument, type UltraplanOptions, ultraplanFolder } from './folder.ts';

/** A Ralph loop as ultraplan stores it. Keys of other programs are kept. */
export interface RalphLoopState {
  /** Whether the loop is to be continued. */
  readonly active: boolean;
  /** The current iteration; the first is 1. */
  readonly iteration: number;
  /** How many iterations the loop may take. */
  readonly maxIterations: number;
  /** What the agent writes between promise tags when the task is done. */
  readonly completionPromise: string;
  /** When the loop started, in ISO 8601. */
  readonly startedAt: string;
  /** The original task. */
  readonly prompt: string;
  /** What other programs add. */
  readonly [key: string]: unknown;
}

const stateFile = 'ralph-loop.json';

/** The loop of a project; null if it has none. A file that is not a loop is an error. */
export function readRalphLoopState(options: UltraplanOptions = {}): RalphLoopState | null {
  const folder = ultraplanFolder(options);
  const found = readDocument(folder, stateFile);
  if (found === undefined) return null;
  const problem = problemOf(found);
  if (problem !== undefined) {
    throw new LoopError(failures.ultraplanStateInvalid(folder.pathOf(stateFile), `"${problem.field}" ${problem.why}`));
  }
  return found as unknown as RalphLoopState;
}

/** Writes the loop of a project, completely or not at all. */
export function writeRalphLoopState(state: RalphLoopState, options: UltraplanOptions = {}): void {
  assertRalphLoop(state);
  ultraplanFolder(options).write(stateFile, `${JSON.stringify(state, undefined, 2)}\n`);
}

/** Removes the loop of a project; a missing one is not an error. */
export function clearRalphLoopState(options: UltraplanOptions = {}): void {
  ultraplanFolder(options).remove(stateFile);
}

/** The loop in its next iteration. Nothing is written, and the given state stays as it is. */
export function incrementIteration(state: RalphLoopState): RalphLoopState {
  return { ...state, iteration: state.iteration + 1 };
}

/** Refuses a state that `readRalphLoopState` would refuse. */
export function assertRalphLoop(state: RalphLoopState): void {
  const problem = problemOf(state);
  if (problem !== undefined) throw new LoopError(failures.ralphLoopInvalid(problem.field, `it ${problem.why}`));
}

/** Where the loop of a project is stored, for messages. */
export function statePath(options: UltraplanOptions): string {
  return ultraplanFolder(options).pathOf(stateFile);
}

interface Problem {
  readonly field: string;
  readonly why: string;
}

/** What keeps a document from being a loop. */
function problemOf(state: Readonly<Record<string, unknown>>): Problem | undefined {
  const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 1;
  const isText = (value: unknown) => typeof value === 'string' && value.trim() !== '';
  const rules: Readonly<Record<string, readonly [(value: unknown) => boolean, string]>> = {
    active: [(value) => typeof value === 'boolean', 'must be true or false'],
    iteration: [isCount, 'must be a whole number from 1 on'],
    maxIterations: [isCount, 'must be a whole number from 1 on'],
    completionPromise: [isText, 'must be a text that is not empty'],
    startedAt: [(value) => isText(value) && !Number.isNaN(Date.parse(String(value))), 'must be an instant in ISO 8601'],
    prompt: [isText, 'must be a text that is not empty'],
  };
  const wrong = Object.entries(rules).find(([field, [isRight]]) => !isRight(state[field]));
  return wrong && { field: wrong[0], why: wrong[1][1] };
}
