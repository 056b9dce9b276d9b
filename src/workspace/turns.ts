import { setImmediate as nextTurn } from 'node:timers/promises';

const LONGEST_TURN_MS = 8;

/**
 * Splits long work into turns. System calls made directly are several times faster than through the thread pool, but
 * timers and signals of the process must not wait for fifty thousand of them.
 */
export function createTurns() {
  let endsAt = performance.now() + LONGEST_TURN_MS;
  return {
    /** Whether it is time to let others have their turn. */
    isOver: () => performance.now() > endsAt,
    async next(): Promise<void> {
      await nextTurn();
      endsAt = performance.now() + LONGEST_TURN_MS;
    },
  };
}
