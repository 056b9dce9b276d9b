import type { Usage } from '../../protocol/index.ts';

/** Totals of what the agent reported. `unreported` counts runs that said nothing: what they used is unknown, not 0. */
export interface Spent {
  readonly tokens: number;
  readonly outputTokens: number;
  readonly toolCalls: number;
  readonly costUsd: number;
  readonly runs: number;
  readonly unreportedTokens: number;
  readonly unreportedOutputTokens: number;
  readonly unreportedToolCalls: number;
  readonly unreportedCost: number;
}

/** What a loop has spent before its first run. */
export const nothingSpent: Spent = {
  tokens: 0,
  outputTokens: 0,
  toolCalls: 0,
  costUsd: 0,
  runs: 0,
  unreportedTokens: 0,
  unreportedOutputTokens: 0,
  unreportedToolCalls: 0,
  unreportedCost: 0,
};

/** The totals with one more run; a run that is not known to have used nothing counts as unreported. */
export function addRun(spent: Spent, usage: Usage | undefined): Spent {
  const tokens = reportedTokens(usage);
  const { outputTokens, toolCalls, costUsd } = usage ?? {};
  const missing = (amount: number | undefined) => (amount === undefined ? 1 : 0);
  return {
    tokens: spent.tokens + (tokens ?? 0),
    outputTokens: spent.outputTokens + (outputTokens ?? 0),
    toolCalls: spent.toolCalls + (toolCalls ?? 0),
    costUsd: spent.costUsd + (costUsd ?? 0),
    runs: spent.runs + 1,
    unreportedTokens: spent.unreportedTokens + missing(tokens),
    unreportedOutputTokens: spent.unreportedOutputTokens + missing(outputTokens),
    unreportedToolCalls: spent.unreportedToolCalls + missing(toolCalls),
    unreportedCost: spent.unreportedCost + missing(costUsd),
  };
}

/** The totals of a snapshot. One of an earlier version did not count everything: that is unknown for all its runs. */
export function readSpent(kept: Partial<Spent>): Spent {
  const { runs = 0 } = kept;
  return { ...nothingSpent, unreportedOutputTokens: runs, unreportedToolCalls: runs, ...kept };
}

/** Tokens of one run as far as the agent reported them. */
export function reportedTokens(usage: Usage | undefined): number | undefined {
  if (usage?.inputTokens === undefined && usage?.outputTokens === undefined) return undefined;
  return (
    (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0) + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0)
  );
}
