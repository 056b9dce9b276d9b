import { createLoopId } from '../base/index.ts';
import { canMove, isTerminal } from '../core/index.ts';
import { statuses } from '../protocol/index.ts';
import { SCHEMA_VERSION } from './constants.ts';
import type { CompletionCheck, LoopConfiguration, LoopStatus, StateDocument } from './documents.ts';

/** What a new loop starts with. */
export interface NewState {
  /** What the loop works on; its id is made of it. */
  readonly task: string;
  /** A UUID, whose first eight digits end the id. */
  readonly uuid: string;
  /** When it starts, RFC 3339. */
  readonly at: string;
  /** When it is done: a command or a description. */
  readonly completion_criteria?: string;
  /** Who starts it. */
  readonly owner?: string;
  /** Where it works. */
  readonly working_directory?: string;
  /** Its limits and switches. */
  readonly configuration?: LoopConfiguration;
}

/** The state of a new loop, which is running and has done nothing. */
export function createState({ task, uuid, at, ...more }: NewState): StateDocument {
  return {
    version: SCHEMA_VERSION,
    loop_id: createLoopId(task, uuid),
    status: 'running',
    iteration: 0,
    task,
    started_at: at,
    last_updated: at,
    ...more,
  };
}

/** The statuses to which a loop may go from one; none, if that is final. */
export function allowedTransitions(from: LoopStatus): readonly LoopStatus[] {
  return statuses.filter((to) => canMove(from, to));
}

/**
 * The state after a change of status.
 *
 * @throws RangeError if the loop may not go from its status to that one.
 */
export function transition(state: StateDocument, to: LoopStatus, at: string): StateDocument {
  if (!canMove(state.status, to)) {
    const allowed = allowedTransitions(state.status).join(', ') || 'none, because it is final';
    throw new RangeError(`A loop cannot go from ${state.status} to ${to}. Allowed: ${allowed}.`);
  }
  return { ...state, status: to, last_updated: at, ...(isTerminal(to) ? { completed_at: at } : {}) };
}

/**
 * The state with other fields replaced; a new status must be allowed.
 *
 * @throws RangeError for a status that is not, and for another loop's id.
 */
export function updateState(state: StateDocument, changes: Partial<StateDocument>, at: string): StateDocument {
  const { status = state.status, loop_id: loopId = state.loop_id, ...fields } = changes;
  if (loopId !== state.loop_id) throw new RangeError(`The state is that of ${state.loop_id}, not of ${loopId}.`);
  const moved = status === state.status ? state : transition(state, status, at);
  return { ...moved, ...fields, last_updated: at };
}

/** The state with one more check of the completion criteria. One that passed moves a running loop to `completing`. */
export function recordCompletionCheck(state: StateDocument, check: CompletionCheck): StateDocument {
  const { progress = {} } = state;
  const checks = [...(progress.completion_checks ?? []), check];
  const checked: StateDocument = {
    ...state,
    last_updated: check.timestamp,
    progress: { ...progress, completion_checks: checks, last_completion_check: check },
  };
  return check.passed ? transition(checked, 'completing', check.timestamp) : checked;
}
