import type { RedlineCut } from '../../../src/core/index.ts';
import type { Usage } from '../../../src/protocol/index.ts';
import type { Behaviour } from './script.ts';
import type { World } from './world.ts';

const tokenKinds = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const;

/**
 * The supervisor stops an agent whose budget is used up, unless the agent may finish. Not every agent reports its usage
 * in time.
 */
export function cutByBudget(world: World, behaviour: Behaviour): Behaviour {
  const { run, truth } = behaviour;
  if (truth !== 'worked' || run.outcome !== 'completed' || !reportsInTime(run.durationMs)) return behaviour;
  if (world.loop.config.budgetPolicy === 'finish' || !isUsedUp(world, run.usage ?? {})) return behaviour;
  const ending = { kind: 'stopped', by: 'budget', forced: run.claimed } as const;
  return { ...behaviour, run: { ...run, ending, outcome: run.claimed ? 'unknown' : 'interrupted' } };
}

/** Computed from the facts alone: the usage of all runs together. */
function isUsedUp({ disk, loop: { config } }: World, used: Usage): boolean {
  const earlier = disk.flatMap((fact) => (fact.type === 'agent.finished' ? (fact.data.usage ?? []) : []));
  const sum = (amount: (usage: Usage) => number) => [...earlier, used].reduce((total, one) => total + amount(one), 0);
  const amounts: readonly (readonly [number | undefined, number])[] = [
    [config.maxTokens, sum((usage) => tokenKinds.reduce((total, kind) => total + (usage[kind] ?? 0), 0))],
    [config.maxOutputTokens, sum(({ outputTokens = 0 }) => outputTokens)],
    [config.maxToolCalls, sum(({ toolCalls = 0 }) => toolCalls)],
    [config.maxCostUsd, sum(({ costUsd = 0 }) => costUsd)],
  ];
  return amounts.some(([most, amount]) => most !== undefined && amount >= most);
}

/** The supervisor stops an agent whose session passes the redline, if it was told to. */
export function cutAtRedline(behaviour: Behaviour, redline: RedlineCut | undefined): Behaviour {
  const { run } = behaviour;
  const percent = passes(behaviour);
  if (redline === undefined || percent === undefined || percent < redline.percent) return behaviour;
  const ending = { kind: 'stopped', by: 'redline', forced: run.claimed } as const;
  return { ...behaviour, run: { ...run, ending, outcome: run.claimed ? 'unknown' : 'interrupted' } };
}

/** How full an agent that works makes its session, if it reports that in time. */
function passes({ run, truth }: Behaviour): number | undefined {
  const { context } = run.usage ?? {};
  if (truth !== 'worked' || run.outcome !== 'completed' || context === undefined) return undefined;
  return reportsInTime(run.durationMs) ? (100 * context.used) / context.size : undefined;
}

/** Some agents report what they use only at their end. */
export function reportsInTime(durationMs: number): boolean {
  return durationMs % 2_000 !== 0;
}
