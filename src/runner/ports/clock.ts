/** Wall time for facts, and a clock that never jumps for durations. */
export interface Clock {
  nowMs(): number;
  monotonicMs(): number;
  /**
   * Resolves at an instant of the wall clock, or earlier if the signal aborts or the original duration has passed:
   * a clock that is set back does not make the wait longer.
   */
  waitUntil(instantMs: number, signal: AbortSignal): Promise<void>;
}
