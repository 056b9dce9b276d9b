import { limits, type ReportedTotal, type UnreportedRuns, type Usage, usedOf } from '../../protocol/index.ts';

/** Totals of what the agent reported. `unreported` counts runs without a report: their usage is unknown, not 0. */
export type Spent = { readonly runs: number } & Readonly<Record<ReportedTotal | UnreportedRuns, number>>;

const meters = limits.flatMap((limit) => (limit.reported === undefined ? [] : [{ limit, ...limit.reported }]));

/** What a loop has spent before its first run. */
export const nothingSpent = meters.reduce<Spent>(
  (spent, { total, unreported }) => ({ ...spent, [total]: 0, [unreported]: 0 }),
  {
    runs: 0,
  } as Spent,
);

/** The totals with one more run; a run that is not known to have used nothing counts as unreported. */
export function addRun(spent: Spent, usage: Usage | undefined): Spent {
  const after: Record<string, number> = { runs: spent.runs + 1 };
  for (const { limit, total, unreported } of meters) {
    const used = usedOf(limit, usage);
    after[total] = spent[total] + (used ?? 0);
    after[unreported] = spent[unreported] + (used === undefined ? 1 : 0);
  }
  return after as Spent;
}

/** The totals of two loops together. */
export function addSpent(one: Spent, other: Spent): Spent {
  const names = Object.keys(nothingSpent) as (keyof Spent)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as Spent;
}

/** The totals from a snapshot. What an earlier version did not count is unknown for all its runs. */
export function readSpent(stored: Partial<Spent>): Spent {
  const { runs = 0 } = stored;
  const unknown = Object.fromEntries(meters.map(({ unreported }) => [unreported, runs]));
  return { ...nothingSpent, ...unknown, ...stored };
}
