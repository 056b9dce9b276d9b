import type { BuiltInVariable } from '../../protocol/index.ts';
import type { Loop } from '../state/loop.ts';

/** The attempt for which the values are needed. */
export interface PromptMoment {
  readonly iteration: number;
  readonly nowMs: number;
  /** The session that is continued; a fresh one has no id before the agent gives it one. */
  readonly sessionId?: string;
}

/** The values of the variables that every prompt file can use. Instants are in UTC. */
export function builtInValues(loop: Loop, { iteration, nowMs, sessionId = '' }: PromptMoment) {
  const { maxIterations } = loop.config;
  const timestamp = new Date(nowMs).toISOString();
  const maximum = maxIterations === 0 ? 'unlimited' : String(maxIterations);
  return {
    iteration: String(iteration),
    max_iterations: maximum,
    total_iterations: maximum,
    loop_id: loop.id,
    session_id: sessionId,
    timestamp,
    date: timestamp.slice(0, 10),
    time: timestamp.slice(11, 19),
    working_dir: loop.origin.workingDirectory,
  } satisfies Record<BuiltInVariable, string>;
}
