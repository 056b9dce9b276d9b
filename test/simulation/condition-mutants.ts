import { edit, type Loop } from '../../src/core/index.ts';
import type { ConditionResult, Fact } from '../../src/protocol/index.ts';
import { advancing, completing, evolving, type Mutant } from './mutants.ts';
import { type Rules, realRules } from './rules.ts';

const { advance } = realRules;

/** Plausible bugs in conditions. */
export const conditionMutants: readonly Mutant[] = [
  advancing('a condition for success completes the loop without the gate', (loop, result) =>
    result.action.type === 'verify' && result.action.conditions !== undefined ? completing(loop, result) : result,
  ),
  deciding('a condition that is met does not stop the loop', (loop) =>
    loop.position.current === undefined ? withConditions(loop, { stop: [] }) : loop,
  ),
  deciding('a condition for success ends the loop', (loop) => {
    const { stop, success } = loop.config.stopConditions;
    return loop.position.current === undefined ? withConditions(loop, { stop: [...stop, ...success] }) : loop;
  }),
  deciding('a condition for success counts although one for failure is met', (loop) =>
    loop.position.current === undefined ? loop : withConditions(loop, { failure: [] }),
  ),
  deciding('a condition for failure counts no more than one to stop', (loop) => {
    const { stop, failure } = loop.config.stopConditions;
    return loop.position.current === undefined
      ? withConditions(loop, { stop: [...stop, ...failure], failure: [] })
      : loop;
  }),
  misreading('a condition that could not be told counts as met', ({ met, ...result }) => ({
    ...result,
    met: met ?? true,
  })),
  misreading('a condition that could not be told counts as not met, and its opposite as met', ({ met, ...result }) => ({
    ...result,
    met: met ?? false,
  })),
  deciding('nobody looks before the gate is tried', (loop) =>
    loop.position.current?.stage === 'executed'
      ? { ...loop, position: { ...loop.position, current: { ...loop.position.current, isObserved: true } } }
      : loop,
  ),
  evolving('an owner that dies takes with it what was seen', (_before, fact, after) => {
    return fact.type === 'segment.opened' ? edit(after, { signals: { observed: undefined } }) : after;
  }),
  evolving('what the agent once said counts for ever', ({ signals: { outputMatches = [] } }, fact, after) =>
    fact.type === 'agent.finished'
      ? {
          ...after,
          signals: { ...after.signals, outputMatches: [...outputMatches, ...(after.signals.outputMatches ?? [])] },
        }
      : after,
  ),
];

/** Decides with a changed copy of the loop. */
function deciding(bug: string, change: (loop: Loop) => Loop): Mutant {
  const mistaken: Rules['advance'] = (loop, moment, recorded) => {
    const happened = recorded ?? [];
    if (happened.length === 0) return advance(change(loop), moment);
    // Apply the facts correctly first; only the decision that follows uses the changed loop.
    const ahead = happened.reduce(
      (before, fact) =>
        realRules.evolve(before, {
          ...fact,
          seq: before.journal.seq + 1,
          at: new Date(moment.nowMs).toISOString(),
          epoch: before.journal.epoch,
        }),
      loop,
    );
    const elapsedMs = happened.some(({ data }) => 'elapsedMs' in data && (data.elapsedMs ?? 0) > 0)
      ? 0
      : moment.elapsedMs;
    const { facts, action } = advance(change(ahead), { ...moment, elapsedMs });
    return { facts: [...happened, ...facts], action };
  };
  return { bug, rules: { ...realRules, advance: mistaken } };
}

/** Misreads the observed result of a condition. */
function misreading(bug: string, change: (result: ConditionResult) => ConditionResult): Mutant {
  const mistaken = (fact: Fact): Fact =>
    fact.type === 'conditions.observed'
      ? { ...fact, data: { ...fact.data, results: fact.data.results.map(change) } }
      : fact;
  return {
    bug,
    rules: {
      ...realRules,
      evolve: (loop, fact) => {
        const { seq, at, epoch } = fact;
        return realRules.evolve(loop, { ...mistaken(fact), seq, at, epoch });
      },
      advance: (loop, moment, recorded) => {
        const happened = recorded ?? [];
        const { facts, action } = advance(loop, moment, happened.map(mistaken));
        return { facts: [...happened, ...facts.slice(happened.length)], action };
      },
    },
  };
}

function withConditions(loop: Loop, change: Partial<Loop['config']['stopConditions']>): Loop {
  const { config } = loop;
  return { ...loop, config: { ...config, stopConditions: { ...config.stopConditions, ...change } } };
}
