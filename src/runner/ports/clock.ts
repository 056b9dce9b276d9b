/** Wall time for facts, and a clock that never jumps for durations. */
export interface Clock {
  nowMs(): number;
  monotonicMs(): number;
  /**
   * Resolves at an instant of the wall clock, or earlier when the signal aborts or when as much time has passed as
   * there was to wait: a clock that is set back makes no wait longer.
   */
  waitUntil(instantMs: number, signal: AbortSignal): Promise<void>;
}
