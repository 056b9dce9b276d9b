import { setTimeout as delay } from 'node:timers/promises';

const pollEveryMs = 20;

/** Resolves to true when the promise settles in time, to false when it does not or the signal cuts it short. */
export async function settlesWithin(
  promise: Promise<unknown>,
  limitMs: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const waiting = new AbortController();
  const limit = signal ? AbortSignal.any([signal, waiting.signal]) : waiting.signal;
  const settled = promise.then(
    () => true,
    () => true,
  );
  // An abort ends the wait early; that is an answer here, not an error.
  const late = delay(limitMs, false, { signal: limit }).catch(() => false);
  try {
    return await Promise.race([settled, late]);
  } finally {
    waiting.abort();
  }
}

/** Polls until the condition holds; false when it does not hold in time or the signal cuts it short. */
export async function holdsWithin(condition: () => boolean, limitMs: number, signal?: AbortSignal): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (!condition()) {
    if (signal?.aborted || performance.now() >= deadline) return false;
    await delay(Math.min(pollEveryMs, Math.max(1, deadline - performance.now())));
  }
  return true;
}
