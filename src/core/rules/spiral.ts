import type { FactData } from '../../protocol/index.ts';
import type { Loop } from '../state/loop.ts';
import type { Spiral } from '../state/signals.ts';

/** How many calls that only read, list or search make a run an exploration. */
const minReads = 5;

/** Whether the next prompt has to tell the agent that it only explored; once per spiral. */
export function needsCorrection({ signals: { spiral } }: Loop): boolean {
  return spiral !== undefined && spiral.isCorrected !== true;
}

/**
 * The spiral after a run: it read, listed and searched, and neither edited, ran nor claimed anything. A run that was
 * cut off says nothing about what it would have done.
 */
export function spiralAfter({ signals: { spiral } }: Loop, data: FactData<'agent.finished'>): Spiral | undefined {
  const { iteration, outcome, exploration, claimed, changes } = data;
  if (outcome !== 'completed' && outcome !== 'turn_limit') return spiral;
  const hasChanged = changes.count > 0 || changes.headMoved;
  if (exploration === undefined || claimed || hasChanged) return undefined;
  const { reads, acts } = exploration;
  if (reads < minReads || acts > 0) return undefined;
  return { iteration, reads, ...(spiral?.isCorrected ? { isCorrected: true } : {}) };
}
