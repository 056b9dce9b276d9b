import { type Limit, limits, type ReportedTotal, type Usage, usedOf } from '../../protocol/index.ts';
import type { Loop } from '../state/loop.ts';
import { amountUsed, boundOf } from './limits.ts';

/** What an agent may still use before it is ended in the middle of its work; a bound that is not set is missing. */
export type BudgetLeft = { readonly [Meter in ReportedTotal | 'timeMs']?: number };

/** What is left for the run that is about to start or continue; no bounds when iterations may finish. */
export function budgetLeft(loop: Loop, elapsedMs: number): BudgetLeft {
  if (loop.config.budgetPolicy === 'finish') return {};
  const left = budgets.flatMap(({ limit, meter }) => {
    const bound = boundOf(limit, loop.config);
    const used = amountUsed(limit, loop) + (meter === 'timeMs' ? elapsedMs : 0);
    return bound === undefined ? [] : [[meter, bound - used] as const];
  });
  return Object.fromEntries(left);
}

/** Whether a run has used up what was left. What it has not reported yet does not count. */
export function isUsedUp(left: BudgetLeft, used: Usage, ranMs: number): boolean {
  return budgets.some(({ limit, meter }) => {
    const amount = meter === 'timeMs' ? ranMs : (usedOf(limit, used) ?? 0);
    return amount >= (left[meter] ?? Number.POSITIVE_INFINITY);
  });
}

/** Whether a strict budget is exceeded, which invalidates a proof. The last allowed iteration does not exceed it. */
export function isOverrun(loop: Loop): boolean {
  const isOver = ({ limit }: Budget) =>
    amountUsed(limit, loop) > (boundOf(limit, loop.config) ?? Number.POSITIVE_INFINITY);
  return loop.config.budgetPolicy === 'strict' && budgets.some(isOver);
}

interface Budget {
  readonly limit: Limit;
  readonly meter: ReportedTotal | 'timeMs';
}

/** The limits that can be reached in the middle of an iteration. */
const budgets: readonly Budget[] = limits.flatMap((limit) =>
  limit.setting === 'maxIterations' || limit.changed !== undefined || limit.between !== undefined
    ? []
    : [{ limit, meter: limit.reported?.total ?? 'timeMs' }],
);
