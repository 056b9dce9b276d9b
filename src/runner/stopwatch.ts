import type { Clock } from './ports/clock.ts';

/** Running time that no fact has accounted for yet. */
export interface Stopwatch {
  /** How much there is. */
  readonly readMs: () => number;
  /** How much there was; from now on it is accounted for. */
  readonly takeMs: () => number;
}

/** A stopwatch that starts now. */
export function createStopwatch(clock: Clock): Stopwatch {
  let accountedAtMs = clock.monotonicMs();
  const since = (nowMs: number) => Math.max(0, Math.round(nowMs - accountedAtMs));
  return {
    readMs: () => since(clock.monotonicMs()),
    takeMs: () => {
      const nowMs = clock.monotonicMs();
      const elapsedMs = since(nowMs);
      accountedAtMs = nowMs;
      return elapsedMs;
    },
  };
}
