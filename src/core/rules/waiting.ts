import type { Loop } from '../state/loop.ts';
import type { Pending, Wait } from '../state/pending.ts';

const minute = 60_000;
const maxBackOffMs = 60 * minute;
const maxWaitMs = 8 * 24 * 60 * minute;

/** How many times a failure that costs no iteration is retried before it has consequences. */
export const freeRetries = { environment: 3, unknown: 3, reboot: 3 } as const;

/**
 * The instant a provider limit ends: the reported reset, else a growing pause. A reset in the past is
 * ignored, so that a provider which keeps reporting it is not asked in a tight loop.
 */
export function limitOverAt(loop: Loop, resetAt: string | undefined, nowMs: number): number {
  const jitter = jitterOf(`${loop.id}:${loop.position.iteration}:${loop.position.attempt}`);
  const reset = resetAt === undefined ? Number.NaN : Date.parse(resetAt);
  if (Number.isNaN(reset) || reset <= nowMs) {
    const pause = Math.min(maxBackOffMs, minute * 2 ** Math.min(Math.max(0, loop.pending.retries.limit - 1), 10));
    return Math.ceil(nowMs + pause * (1 + jitter / 10));
  }
  const spread = 5_000 + jitter * 55_000;
  return Math.ceil(Math.min(reset + spread, nowMs + maxWaitMs));
}

/**
 * The instant a wait ends, by the current wall clock. A clock that was set back since the wait was scheduled
 * never lengthens it.
 */
export function waitOverAt({ until, since }: Wait, nowMs: number): number {
  const untilMs = Date.parse(until);
  if (since === undefined) return untilMs;
  return Math.min(untilMs, nowMs + Math.max(0, untilMs - Date.parse(since)));
}

/** How much of a loop's wait is left; 0 when it waits for nothing. */
export function waitLeftMs({ pending: { wait } }: { readonly pending: Pick<Pending, 'wait'> }, nowMs: number): number {
  return wait === undefined ? 0 : Math.max(0, waitOverAt(wait, nowMs) - nowMs);
}

/** The instant of the next retry after something that costs no iteration: 5 s after the first failure, then twice as long. */
export function retryAt(retry: number, nowMs: number): number {
  return nowMs + Math.min(5 * minute, 5_000 * 2 ** Math.min(retry, 10));
}

/**
 * A number from 0 to 1 that spreads loops which hit the same limit. Derived from the attempt's name, so that
 * replaying a journal gives the same decision.
 */
function jitterOf(name: string): number {
  let hash = 2166136261;
  for (let index = 0; index < name.length; index += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 16777619) >>> 0;
  }
  return hash / 2 ** 32;
}
