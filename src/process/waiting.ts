import { addAbortListener } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

const pollEveryMs = 20;

/** Resolves to true when the promise settles in time, to false when it does not or the signal cuts it short. */
export async function settlesWithin(
  promise: Promise<unknown>,
  limitMs: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const { promise: answer, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), limitMs);
  const listener = signal && addAbortListener(signal, () => resolve(false));
  const settle = () => resolve(true);
  promise.then(settle, settle);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
    listener?.[Symbol.dispose]();
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
