import { setImmediate as nextTurn } from 'node:timers/promises';

const maxTurnMs = 8;

/**
 * Splits long work into turns of the event loop. Synchronous system calls are several times faster than the thread
 * pool, but timers and signals must not wait for fifty thousand of them.
 */
export function createTurns() {
  let endsAt = performance.now() + maxTurnMs;
  return {
    isOver: () => performance.now() > endsAt,
    async next(): Promise<void> {
      await nextTurn();
      endsAt = performance.now() + maxTurnMs;
    },
  };
}
