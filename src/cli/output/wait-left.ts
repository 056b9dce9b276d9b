import { waitOverAt } from '../../core/index.ts';

/** How much of a wait is left; 0 when it is over. */
export function waitLeftMs(wait: Parameters<typeof waitOverAt>[0], nowMs: number): number {
  return Math.max(0, waitOverAt(wait, nowMs) - nowMs);
}
