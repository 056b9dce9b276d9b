/** Bounds of one run; a bound that is left out does not apply. */
export interface Limits {
  readonly timeoutMs?: number | undefined;
  /** Maximum time until the first output. */
  readonly startMs?: number | undefined;
  /** Maximum time without any sign of life. */
  readonly idleMs?: number | undefined;
  readonly maxOutputBytes?: number | undefined;
  /** Maximum memory of it and of everything it started. */
  readonly maxMemoryBytes?: number | undefined;
  /** How long it may run after it reported its result. */
  readonly resultGraceMs?: number | undefined;
}

/** What a watchdog reads. */
export interface Readings {
  /** A clock that never jumps, in milliseconds. */
  readonly now: () => number;
  /** How much this run has printed. */
  readonly outputBytes: () => number;
  /** Changes whenever there is a sign of life other than output. */
  readonly pulse?: (() => number) | undefined;
  readonly hasResult?: (() => boolean) | undefined;
  /** Whether it prints nothing but retry notices: alive, but not working. */
  readonly isRetrying?: (() => boolean) | undefined;
  /** Whether it has used up its budget. */
  readonly isSpent?: (() => boolean) | undefined;
  /** Whether its session is so full that it must not go on. */
  readonly isFull?: (() => boolean) | undefined;
  /** Whether it uses more memory than it may. */
  readonly isOverMemory?: (() => boolean) | undefined;
  /** Whether all its requests are rejected for a reason that retrying does not change. */
  readonly isRejected?: (() => boolean) | undefined;
}

/** Which bound was passed. */
export type PassedBound =
  | 'timeout'
  | 'start'
  | 'idle'
  | 'output'
  | 'result'
  | 'budget'
  | 'redline'
  | 'rejected'
  | 'memory';

const maxIntervalMs = 500;
// Even a slow machine does not check this late: ralphd was stopped.
const stoppedAfterMs = 4 * maxIntervalMs;
const minIntervalMs = 10;

/** Returns a function that returns which bound, if any, is passed at the moment of the call. */
export function createWatchdog(limits: Limits, readings: Readings): () => PassedBound | undefined {
  const { timeoutMs = Infinity, startMs = Infinity, idleMs = Infinity, maxOutputBytes = Infinity } = limits;
  const { resultGraceMs = Infinity } = limits;
  const { pulse = () => 0, hasResult = () => false, isRetrying = () => false, isSpent = () => false } = readings;
  const { isRejected = () => false, isOverMemory = () => false, isFull = () => false } = readings;
  const startedAt = readings.now();
  let bytes = readings.outputBytes();
  let beat = pulse();
  let activeAt = startedAt;
  let checkedAt = startedAt;
  let isLate = false;
  let resultAt = Infinity;

  return () => {
    const now = readings.now();
    const [bytesNow, beatNow] = [readings.outputBytes(), pulse()];
    // A spool that shrank was rewritten by the agent: that is a sign of life too.
    const hasPrinted = bytesNow !== bytes && !isRetrying();
    // Between two checks that are far apart (ralphd was stopped, or got no processor) signs of life went unnoticed.
    const gapMs = now - checkedAt;
    if (hasPrinted || beatNow !== beat || gapMs > Math.max(idleMs, maxIntervalMs)) activeAt = now;
    // The agent may have ended in that time: what it left is read before the next check. Never twice in a row.
    isLate = gapMs > stoppedAfterMs && !isLate;
    checkedAt = now;
    [bytes, beat] = [bytesNow, beatNow];
    // A machine that runs out of memory checks late, so this must not wait for the next check.
    if (isOverMemory()) return 'memory';
    if (isLate) return undefined;
    if (resultAt === Infinity && hasResult()) resultAt = now;
    if (now - resultAt >= resultGraceMs) return 'result';
    if (now - startedAt >= timeoutMs) return 'timeout';
    // Once it has reported its result the money is spent, and it is about to end by itself.
    if (resultAt === Infinity && isSpent()) return 'budget';
    if (resultAt === Infinity && isFull()) return 'redline';
    if (resultAt === Infinity && isRejected()) return 'rejected';
    if (bytes > maxOutputBytes) return 'output';
    if (bytes === 0 && now - startedAt >= startMs) return 'start';
    return now - activeAt >= idleMs ? 'idle' : undefined;
  };
}

/** How often to check: often enough for the smallest bound, never so often that it costs anything. */
export function checkIntervalMs({ timeoutMs, startMs, idleMs, resultGraceMs }: Limits): number {
  const bounds = [timeoutMs, startMs, idleMs, resultGraceMs].map((bound = Infinity) => bound / 10);
  return Math.max(minIntervalMs, Math.min(maxIntervalMs, ...bounds));
}
