import type { FactData } from '../../../src/protocol/index.ts';
import type { Observation } from './invariant.ts';
import type { Ledger } from './ledger.ts';

const hourMs = 3_600_000;
/** Calls within this time of each other may be taken for simultaneous. */
const stepMs = 5 * 60_000;

/** API calls, and when they were made by both clocks. */
export interface CallEntry {
  readonly count: number;
  readonly wallMs: number;
  readonly monotonicMs: number;
  /** It was older than an hour once, and stays so if the clock is set back later. */
  readonly isOld: boolean;
}

/** Records the calls of a run. */
export function enterCalls(ledger: Ledger, { calls = [] }: FactData<'agent.finished'>, seen: Observation): void {
  const { monotonicMs } = seen.world;
  ageCalls(ledger, seen);
  for (const { at, count } of calls) ledger.calls.push({ count, wallMs: Date.parse(at), monotonicMs, isOld: false });
}

/**
 * A wait for calls was scheduled by their age at this time. It is waited for in full if the clock is set back later, even
 * if only a clock that was set forward made them that old.
 */
export function enterCallWait(ledger: Ledger, seen: Observation): void {
  ageCalls(ledger, seen);
  const { calls } = ledger;
  const { wallMs, monotonicMs } = seen.world;
  const aged = calls.map((one) => ({
    ...one,
    monotonicMs: Math.min(one.monotonicMs, monotonicMs - (wallMs - one.wallMs)),
  }));
  calls.splice(0, calls.length, ...aged);
}

/** Drops calls that count no more. One in the future was made before the clock was set back, and ages from now on. */
function ageCalls({ calls }: Ledger, { fact }: Observation): void {
  const nowMs = Date.parse(fact.at);
  const aged = calls.map((one) => {
    const wallMs = Math.min(one.wallMs, nowMs);
    return { ...one, wallMs, isOld: one.isOld || nowMs - wallMs >= hourMs };
  });
  calls.splice(0, calls.length, ...aged.filter(({ wallMs }) => nowMs - wallMs < hourMs + stepMs));
}

/** Calls that are as recent by both clocks: one that is set forward makes them older, one that is set back does not. */
export function callsWithin({ calls }: Ledger, { wallMs, monotonicMs }: Observation['world'], ms: number): number {
  return sum(calls.filter((one) => !one.isOld && wallMs - one.wallMs < ms && monotonicMs - one.monotonicMs < ms));
}

/** Calls that may still count. */
export function callsAtMost({ calls }: Ledger, { wallMs }: Observation['world']): number {
  return sum(calls.filter((one) => wallMs - one.wallMs < hourMs + stepMs));
}

function sum(calls: readonly CallEntry[]): number {
  return calls.reduce((total, { count }) => total + count, 0);
}
