/** Bounds of one run; a bound that is left out does not apply. */
export interface Limits {
  readonly timeoutMs?: number | undefined;
  /** Longest time until the first output. */
  readonly startMs?: number | undefined;
  /** Longest time without any sign of life. */
  readonly idleMs?: number | undefined;
  readonly maxOutputBytes?: number | undefined;
  /** How long it may go on after it gave its result. */
  readonly resultGraceMs?: number | undefined;
}

/** What a watchdog looks at. */
export interface Readings {
  /** A clock that never jumps, in milliseconds. */
  readonly now: () => number;
  /** How much this run has printed. */
  readonly outputBytes: () => number;
  /** Changes whenever there is a sign of life other than output. */
  readonly pulse?: (() => number) | undefined;
  readonly resultSeen?: (() => boolean) | undefined;
  /** Whether what it prints only says that it tries again: alive, but not working. */
  readonly isRetrying?: (() => boolean) | undefined;
  /** Whether it has used up what it was allowed to spend. */
  readonly isSpent?: (() => boolean) | undefined;
}

/** Which bound was passed. */
export type PassedBound = 'timeout' | 'start' | 'idle' | 'output' | 'result' | 'budget';

const SLOWEST_LOOK_MS = 500;
const QUICKEST_LOOK_MS = 10;

/** Returns a function that says which bound, if any, is passed at the moment of the call. */
export function createWatchdog(limits: Limits, readings: Readings): () => PassedBound | undefined {
  const { timeoutMs = Infinity, startMs = Infinity, idleMs = Infinity, maxOutputBytes = Infinity } = limits;
  const { resultGraceMs = Infinity } = limits;
  const { pulse = () => 0, resultSeen = () => false, isRetrying = () => false, isSpent = () => false } = readings;
  const startedAt = readings.now();
  let bytes = readings.outputBytes();
  let beat = pulse();
  let activeAt = startedAt;
  let lookedAt = startedAt;
  let resultAt = Infinity;

  return () => {
    const now = readings.now();
    const [bytesNow, beatNow] = [readings.outputBytes(), pulse()];
    // A spool that shrank was rewritten by the agent: that is a sign of life too.
    const hasPrinted = bytesNow !== bytes && !isRetrying();
    // While nobody looked (ralphd was held, or got no processor) nobody knows what signs there were.
    const hasLookedAway = now - lookedAt > Math.max(idleMs, SLOWEST_LOOK_MS);
    if (hasPrinted || beatNow !== beat || hasLookedAway) activeAt = now;
    lookedAt = now;
    [bytes, beat] = [bytesNow, beatNow];
    if (resultAt === Infinity && resultSeen()) resultAt = now;
    if (now - resultAt >= resultGraceMs) return 'result';
    if (now - startedAt >= timeoutMs) return 'timeout';
    // Its last word is said: what is spent is spent, and it is about to end by itself.
    if (resultAt === Infinity && isSpent()) return 'budget';
    if (bytes > maxOutputBytes) return 'output';
    if (bytes === 0 && now - startedAt >= startMs) return 'start';
    return now - activeAt >= idleMs ? 'idle' : undefined;
  };
}

/** How often to look: often enough for the smallest bound, never so often that it costs anything. */
export function lookEveryMs({ timeoutMs, startMs, idleMs, resultGraceMs }: Limits): number {
  const bounds = [timeoutMs, startMs, idleMs, resultGraceMs].map((bound = Infinity) => bound / 10);
  return Math.max(QUICKEST_LOOK_MS, Math.min(SLOWEST_LOOK_MS, ...bounds));
}
