import type { Loop, Wait } from '../loop/loop.ts';

const minute = 60_000;
const longestBackOffMs = 60 * minute;
const longestWaitMs = 8 * 24 * 60 * minute;

/** How often a failure that costs no iteration is tried again before it has consequences. */
export const freeRetries = { environment: 3, unknown: 2, reboot: 3 } as const;

/**
 * The instant a provider limit is over: the reported reset, else a growing pause. A reset that has passed says
 * nothing, so that a provider which keeps reporting it is not asked again and again.
 */
export function limitOverAt(loop: Loop, resetAt: string | undefined, nowMs: number): number {
  const jitter = jitterOf(`${loop.id}:${loop.iteration}:${loop.attempt}`);
  const reset = resetAt === undefined ? Number.NaN : Date.parse(resetAt);
  if (Number.isNaN(reset) || reset <= nowMs) {
    const pause = Math.min(longestBackOffMs, minute * 2 ** Math.min(Math.max(0, loop.retries.limit - 1), 10));
    return Math.ceil(nowMs + pause * (1 + jitter / 10));
  }
  const spread = 5_000 + jitter * 55_000;
  return Math.ceil(Math.min(reset + spread, nowMs + longestWaitMs));
}

/**
 * The instant a wait is over, as the wall clock shows it now. A clock that was set back since the wait was decided
 * cannot make it longer than it was meant to be.
 */
export function waitOverAt({ until, since }: Wait, nowMs: number): number {
  const untilMs = Date.parse(until);
  if (since === undefined) return untilMs;
  return Math.min(untilMs, nowMs + Math.max(0, untilMs - Date.parse(since)));
}

/** How much of a loop's wait is left; 0 when it waits for nothing. */
export function waitLeftMs({ wait }: Pick<Loop, 'wait'>, nowMs: number): number {
  return wait === undefined ? 0 : Math.max(0, waitOverAt(wait, nowMs) - nowMs);
}

/** The instant for another try after something that costs no iteration. */
export function retryAt(retry: number, nowMs: number): number {
  return nowMs + Math.min(5 * minute, 5_000 * 3 ** Math.min(retry, 10));
}

/**
 * A share of 0..1 that spreads loops which hit the same limit. Taken from the attempt's own name, so that
 * replaying a journal decides the same.
 */
function jitterOf(name: string): number {
  let hash = 2166136261;
  for (let index = 0; index < name.length; index += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 16777619) >>> 0;
  }
  return hash / 2 ** 32;
}
