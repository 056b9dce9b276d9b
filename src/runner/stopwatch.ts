import type { Clock } from './ports/clock.ts';

/** Running time not yet accounted for by a fact. */
export interface Stopwatch {
  /** The amount so far. */
  readonly readMs: () => number;
  /** Returns the amount so far and resets it. */
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
