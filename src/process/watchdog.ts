/** Bounds of one run; a bound that is left out does not apply. */
export interface Limits {
  readonly timeoutMs?: number | undefined;
  /** Longest time without any output. */
  readonly idleMs?: number | undefined;
  readonly maxOutputBytes?: number | undefined;
}

/** What a watchdog looks at. */
export interface Readings {
  /** A clock that never jumps, in milliseconds. */
  readonly now: () => number;
  readonly outputBytes: () => number;
}

const SLOWEST_LOOK_MS = 500;
const QUICKEST_LOOK_MS = 10;

/** Returns a function that says which bound, if any, is passed at the moment of the call. */
export function createWatchdog(limits: Limits, readings: Readings): () => 'timeout' | 'idle' | 'output' | undefined {
  const { timeoutMs = Infinity, idleMs = Infinity, maxOutputBytes = Infinity } = limits;
  const startedAt = readings.now();
  const startBytes = readings.outputBytes();
  let bytes = startBytes;
  let activeAt = startedAt;

  return () => {
    const now = readings.now();
    const current = readings.outputBytes();
    // A spool that shrank was rewritten by the agent: that is a sign of life too.
    if (current !== bytes) activeAt = now;
    bytes = current;
    if (now - startedAt >= timeoutMs) return 'timeout';
    if (bytes - startBytes > maxOutputBytes) return 'output';
    if (now - activeAt >= idleMs) return 'idle';
    return undefined;
  };
}

/** How often to look: often enough for the smallest bound, never so often that it costs anything. */
export function lookEveryMs({ timeoutMs = Infinity, idleMs = Infinity }: Limits): number {
  return Math.max(QUICKEST_LOOK_MS, Math.min(SLOWEST_LOOK_MS, timeoutMs / 10, idleMs / 10));
}
