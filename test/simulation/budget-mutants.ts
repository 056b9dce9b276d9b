import type { Mutant } from './mutants.ts';
import { evolving } from './mutants.ts';
import { realRules } from './rules.ts';

const { advance, accept } = realRules;

/** Bugs that ignore a budget or apply it at the wrong point. */
export const budgetMutants: readonly Mutant[] = [
  {
    bug: 'a strict budget is not strict',
    rules: {
      ...realRules,
      advance: (loop, moment, happened) =>
        advance({ ...loop, config: { ...loop.config, budgetPolicy: 'cut' } }, moment, happened),
    },
  },
  {
    bug: 'a loop whose limits are used up can be resumed',
    rules: {
      ...realRules,
      accept: (loop, command) =>
        accept(loop.status === 'paused' ? { ...loop, config: { ...loop.config, maxIterations: 0 } } : loop, command),
    },
  },
  {
    bug: 'an agent is blamed for the end of its budget',
    rules: {
      ...realRules,
      advance: (loop, moment, happened) =>
        advance(
          loop,
          moment,
          happened?.map((fact) =>
            fact.type === 'agent.finished' && fact.data.ending.kind === 'stopped' && fact.data.ending.by === 'budget'
              ? { ...fact, data: { ...fact.data, ending: { kind: 'signalled', signal: 'SIGTERM' } } }
              : fact,
          ),
        ),
    },
  },
  evolving('tool calls are forgotten', (before, fact, after) =>
    fact.type === 'agent.finished'
      ? {
          ...after,
          totals: { ...after.totals, spent: { ...after.totals.spent, toolCalls: before.totals.spent.toolCalls } },
        }
      : after,
  ),
  evolving('what was written is forgotten when an owner dies', (_before, fact, after) =>
    fact.type === 'segment.opened'
      ? { ...after, totals: { ...after.totals, spent: { ...after.totals.spent, outputTokens: 0 } } }
      : after,
  ),
];
