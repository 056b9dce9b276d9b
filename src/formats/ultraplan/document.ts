import { isTerminal, type Loop } from '../../core/index.ts';

/** "No limit" in a format that cannot express it. */
const unlimited = 2_147_483_647;

/** The state of a loop in an ultraplan project, `.ultraplan/state/ralph-loop.json`. */
export interface UltraplanDocument {
  readonly active: boolean;
  /** The iteration under way, from 1. */
  readonly iteration: number;
  readonly maxIterations: number;
  readonly completionPromise: string;
  readonly startedAt: string;
  readonly prompt: string;
}

/** A loop in ultraplan's format; one that has not ended is active. */
export function toUltraplanDocument(loop: Loop): UltraplanDocument {
  const { config, origin, position, status } = loop;
  const isOver = isTerminal(status);
  return {
    active: !isOver,
    iteration: isOver ? Math.max(1, position.iteration) : position.finished + 1,
    maxIterations: config.maxIterations === 0 ? unlimited : config.maxIterations,
    completionPromise: config.completionPromise ?? '',
    startedAt: origin.startedAt ?? '',
    prompt: origin.task,
  };
}
