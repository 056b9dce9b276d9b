import type { ApiCalls } from '../../protocol/index.ts';
import type { Loop } from '../state/loop.ts';

const hourMs = 3_600_000;
/** Calls are kept in steps of this length, each at its end: the bound holds, and a wait is at most this much too long. */
const stepMs = 5 * 60_000;
/** More steps than this come only from a clock that jumps. */
const maxSteps = 50;

/** What is left of an hourly bound on API calls for a run: the bound, and the calls before that run. */
export interface CallAllowance {
  readonly perHour: number;
  readonly earlier: readonly ApiCalls[];
}

/** Adds calls to earlier ones, and forgets those that are older than an hour. Times after `nowMs` become `nowMs`. */
export function addCalls(before: readonly ApiCalls[], more: readonly ApiCalls[], nowMs: number): readonly ApiCalls[] {
  const steps = new Map<number, ApiCalls>();
  for (const { at, count } of [...before, ...more]) {
    const atMs = Math.min(Date.parse(at), nowMs);
    const known = steps.get(Math.floor(atMs / stepMs));
    const lastMs = Math.max(atMs, known === undefined ? atMs : Date.parse(known.at));
    if (atMs > nowMs - hourMs && count > 0)
      steps.set(Math.floor(atMs / stepMs), {
        at: new Date(lastMs).toISOString(),
        count: count + (known?.count ?? 0),
      });
  }
  return [...steps.values()].toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at)).slice(-maxSteps);
}

/** How many of these calls were made in the last hour. A call in the future was made before the clock was set back. */
export function callsInHour(calls: readonly ApiCalls[], nowMs: number): number {
  return calls.reduce((sum, { at, count }) => sum + (Date.parse(at) > nowMs - hourMs ? count : 0), 0);
}

/** Calls whose times are unknown, spread evenly over the time in which they were made. */
export function spreadCalls(count: number, fromMs: number, toMs: number): readonly ApiCalls[] {
  const steps = Math.max(1, Math.min(maxSteps, Math.ceil((toMs - fromMs) / stepMs)));
  const upTo = (step: number) => Math.floor((count * step) / steps);
  return Array.from({ length: steps }, (_, index) => ({
    at: new Date(toMs - ((steps - 1 - index) * (toMs - fromMs)) / steps).toISOString(),
    count: upTo(index + 1) - upTo(index),
  })).filter((each) => each.count > 0);
}

/** Whether a run has to end because of the hourly bound. */
export function isRateReached({ perHour, earlier }: CallAllowance, own: readonly ApiCalls[], nowMs: number): boolean {
  return callsInHour([...earlier, ...own], nowMs) >= perHour;
}

/** What an hourly bound allows the run that is about to start or continue; undefined if nothing ends a run. */
export function callAllowance({ config, totals }: Loop): CallAllowance | undefined {
  const { apiCallsPerHour: perHour } = config.resources;
  if (perHour === undefined || config.budgetPolicy === 'finish') return undefined;
  return { perHour, earlier: totals.recentCalls };
}

/** When another call is allowed; undefined if one is allowed now. Never more than an hour away. */
export function callAllowedAt({ config, totals }: Loop, nowMs: number): number | undefined {
  const { apiCallsPerHour: perHour } = config.resources;
  if (perHour === undefined) return undefined;
  const calls = addCalls([], totals.recentCalls, nowMs);
  let left = callsInHour(calls, nowMs);
  if (left < perHour) return undefined;
  for (const { at, count } of calls) {
    left -= count;
    if (left < perHour) return Date.parse(at) + hourMs;
  }
  return nowMs + hourMs;
}

/** The use of the hourly bound, in words. */
export function describeCalls({ config, totals }: Loop, nowMs: number): string | undefined {
  const { apiCallsPerHour: perHour } = config.resources;
  if (perHour === undefined) return undefined;
  return `${callsInHour(totals.recentCalls, nowMs)} of ${perHour} API calls in the last hour`;
}

/** The calls after a clock that was set back during the wait for them: they are as old at its end as they would have been. */
export function shiftCalls(calls: readonly ApiCalls[], byMs: number): readonly ApiCalls[] {
  return calls.map(({ at, count }) => ({ at: new Date(Date.parse(at) + byMs).toISOString(), count }));
}
