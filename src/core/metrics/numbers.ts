import { doubtsOf } from '../gate/doubts.ts';
import { addFailures, type FailureCount } from '../loop/failure-tally.ts';
import { isTerminal } from '../loop/status.ts';
import { dayMs, localClock } from '../rules/local-time.ts';
import type { Loop } from '../state/loop.ts';
import { outcomeOf } from './fleet.ts';

/** One loop, as far as these numbers are about it. */
export interface NumberedLoop {
  readonly loop: Loop;
  /** The model that the agent named last. */
  readonly model?: string | undefined;
  readonly failures: readonly FailureCount[];
}

/** What loops have brought and what that took. `null` stands for what cannot be known, never for 0. */
export interface Numbers extends Results {
  /** By agent and by the model that it named last, those with most loops first. */
  readonly agents: readonly AgentNumbers[];
  /** The days on which loops started or ended, oldest first. */
  readonly days: readonly DayNumbers[];
  readonly failures: readonly FailureCount[];
}

/** How loops ended, and what a proven task took. */
export interface Results {
  readonly started: number;
  readonly ended: number;
  /** Completed, and proven by checks. */
  readonly proven: number;
  /** Completed, but the checks passed before the first iteration as well, which proves nothing about the task. */
  readonly alreadyGreen: number;
  /** Completed on the agent's word. */
  readonly unproven: number;
  /** The share of proven loops among those that ended. */
  readonly successRate: number | null;
  readonly perProvenTask: PerProvenTask;
  readonly cost: Cost;
}

/** The averages over the proven loops. */
export interface PerProvenTask {
  /** Over the loops whose cost is known whole. */
  readonly costUsd: number | null;
  /** How many proven loops are left out of it, because their cost is unknown. */
  readonly costUnknown: number;
  /** The cost of all loops that ended, in vain or not, divided by the proven ones; null if the cost of one is unknown. */
  readonly costUsdWithFailures: number | null;
  /** How long the loops ran. */
  readonly runningMs: number | null;
}

/** What the loops cost, as far as agents reported it. */
export interface Cost {
  /** Null if no run reported any. */
  readonly usd: number | null;
  /** Loops of which at least one run reported none. */
  readonly unknownLoops: number;
}

/** The results of one agent with one model. */
export interface AgentNumbers extends Results {
  readonly agent: string;
  /** Missing if the agent did not name it. */
  readonly model?: string;
}

/** The loops that started or ended on a day. */
export interface DayNumbers extends Results {
  /** In the given time zone, as `2026-11-18`. */
  readonly day: string;
}

/** Adds up loops. */
export function numbersOf(loops: readonly NumberedLoop[], timeZone: string): Numbers {
  const groups = Map.groupBy(loops, ({ loop, model }) => JSON.stringify([loop.origin.agent, model ?? null]));
  return {
    ...resultsOf(loops, loops),
    agents: [...groups.values()].flatMap(agentNumbers).toSorted((one, other) => other.started - one.started),
    days: daysOf(loops, timeZone),
    failures: addFailures(loops.flatMap(({ failures }) => failures)),
  };
}

function agentNumbers(loops: readonly NumberedLoop[]): readonly AgentNumbers[] {
  const [first] = loops;
  if (first === undefined) return [];
  const { loop, model } = first;
  return [{ agent: loop.origin.agent, ...(model === undefined ? {} : { model }), ...resultsOf(loops, loops) }];
}

/** A loop counts as started on its first day, and with everything it brought and took on its last. */
function daysOf(loops: readonly NumberedLoop[], timeZone: string): readonly DayNumbers[] {
  const toLocalMs = localClock(timeZone);
  const dayOf = (instant: string | undefined) => {
    const atMs = Date.parse(instant ?? '');
    return Number.isNaN(atMs) ? undefined : Math.floor(toLocalMs(atMs) / dayMs);
  };
  const started = Map.groupBy(loops, ({ loop }) => dayOf(loop.origin.startedAt));
  const ended = Map.groupBy(loops.filter(isOver), ({ loop }) => dayOf(loop.outcome.endedAt));
  const days = [...new Set([...started.keys(), ...ended.keys()])].filter((day) => day !== undefined);
  return days
    .toSorted((one, other) => one - other)
    .map((day) => ({
      day: new Date(day * dayMs).toISOString().slice(0, 10),
      ...resultsOf(started.get(day) ?? [], ended.get(day) ?? []),
    }));
}

function resultsOf(started: readonly NumberedLoop[], others: readonly NumberedLoop[]): Results {
  const ended = others.filter(isOver);
  const [alreadyGreen, proven] = partition(
    ended.filter(({ loop }) => outcomeOf(loop) === 'verified'),
    ({ loop }) => doubtsOf(loop).some(({ code }) => code === 'already_green'),
  );
  const known = proven.filter(isCostKnown);
  return {
    started: started.length,
    ended: ended.length,
    proven: proven.length,
    alreadyGreen: alreadyGreen.length,
    unproven: ended.filter(({ loop }) => outcomeOf(loop) === 'unverified').length,
    successRate: share(proven.length, ended.length),
    perProvenTask: {
      costUsd: share(sum(known, costOf), known.length),
      costUnknown: proven.length - known.length,
      costUsdWithFailures: ended.every(isCostKnown) ? share(sum(ended, costOf), proven.length) : null,
      runningMs: share(
        sum(proven, ({ loop }) => loop.totals.runningMs),
        proven.length,
      ),
    },
    cost: costsOf(others),
  };
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): readonly [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

function costsOf(loops: readonly NumberedLoop[]): Cost {
  const reported = loops.filter(({ loop: { totals } }) => totals.spent.runs > totals.spent.unreportedCost);
  return {
    usd: reported.length === 0 ? null : sum(reported, costOf),
    unknownLoops: loops.filter(({ loop: { totals } }) => totals.spent.unreportedCost > 0).length,
  };
}

function isOver({ loop }: NumberedLoop): boolean {
  return isTerminal(loop.status);
}

function isCostKnown({ loop: { totals } }: NumberedLoop): boolean {
  return totals.spent.unreportedCost === 0;
}

function costOf({ loop }: NumberedLoop): number {
  return loop.totals.spent.costUsd;
}

function sum(loops: readonly NumberedLoop[], amountOf: (loop: NumberedLoop) => number): number {
  return loops.reduce((total, loop) => total + amountOf(loop), 0);
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
