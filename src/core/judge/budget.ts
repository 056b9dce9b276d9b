import type { Usage } from '../../protocol/index.ts';
import type { Loop } from '../loop/loop.ts';
import { addRun, nothingSpent } from '../loop/spent.ts';
import { type Limit, limits } from './limits.ts';

/** What an agent may still use before it is ended in the middle of its work; a bound that is not set is missing. */
export interface BudgetLeft {
  readonly timeMs?: number;
  readonly tokens?: number;
  readonly outputTokens?: number;
  readonly toolCalls?: number;
  readonly costUsd?: number;
}

/** What is left for the run that is about to start or go on; nothing is bounded when iterations may finish. */
export function budgetLeft({ config, spent, runningMs }: Loop, elapsedMs: number): BudgetLeft {
  if (config.budgetPolicy === 'finish') return {};
  const left = (bound: number | undefined, used: number) => (bound === undefined ? undefined : bound - used);
  const amounts = {
    timeMs: left(config.maxTime, runningMs + elapsedMs),
    tokens: left(config.maxTokens, spent.tokens),
    outputTokens: left(config.maxOutputTokens, spent.outputTokens),
    toolCalls: left(config.maxToolCalls, spent.toolCalls),
    costUsd: left(config.maxCostUsd, spent.costUsd),
  };
  return Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount !== undefined));
}

/** Whether a run has used up what was left. What it has not reported yet does not count. */
export function isUsedUp(left: BudgetLeft, used: Usage, ranMs: number): boolean {
  const { tokens, outputTokens, toolCalls, costUsd } = addRun(nothingSpent, used);
  const amounts: Required<BudgetLeft> = { timeMs: ranMs, tokens, outputTokens, toolCalls, costUsd };
  return Object.entries(left).some(([name, most]) => amounts[name as keyof BudgetLeft] >= most);
}

/** Whether more was used than allowed, where that takes the word from a proof. The last iteration is not too many. */
export function isOverrun(loop: Loop): boolean {
  const isOver = ({ rule, bound, used }: Limit) =>
    rule !== 'max_iterations' && used(loop) > (bound(loop.config) ?? Number.POSITIVE_INFINITY);
  return loop.config.budgetPolicy === 'strict' && limits.some(isOver);
}
