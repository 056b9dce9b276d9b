import type { Batch } from '../../fleet/index.ts';
import type { Fact } from '../../protocol/index.ts';

/** What a batch of facts changes about the place of its loop in the fleet. */
export type Consequences = Pick<
  Batch,
  'status' | 'wakeAt' | 'title' | 'answers' | 'progress' | 'blockedUntil' | 'blockedWhy' | 'overloaded'
>;

/** Tells the consequences of each batch of a loop, in order. */
export function createConsequences(): (facts: readonly Fact[]) => Consequences {
  // A provider that is overloaded gets fewer requests at once, and a limit that was used up gets none.
  let isOverload = false;
  const effectOf = (fact: Fact): Consequences => {
    if (fact.type === 'agent.finished') isOverload = fact.data.outcome === 'rate_limited';
    if (fact.type !== 'wait.scheduled' || fact.data.cause !== 'limit') return placeAfter(fact);
    const { until, message } = fact.data;
    return isOverload ? { overloaded: true } : { blockedUntil: until, blockedWhy: message.slice(0, 500) };
  };
  return (facts) => {
    let effects: Consequences = {};
    for (const fact of facts) effects = { ...effects, ...effectOf(fact) };
    const answers = facts.flatMap(answeredBy);
    return { ...effects, ...(answers.length === 0 ? {} : { answers }) };
  };
}

function answeredBy(fact: Fact): readonly string[] {
  return fact.type === 'command.accepted' || fact.type === 'command.refused' ? [fact.data.id] : [];
}

function placeAfter(fact: Fact): Consequences {
  switch (fact.type) {
    case 'loop.started':
      return { status: 'driven', title: fact.data.task.slice(0, 200), wakeAt: null };
    case 'loop.paused':
      return { status: 'paused', wakeAt: null };
    case 'loop.resumed':
    case 'loop.recovered':
      return { status: 'driven', wakeAt: null };
    case 'loop.parked':
      return { wakeAt: fact.data.wakeAt };
    case 'loop.ended':
      return { status: 'ended', wakeAt: null };
    case 'iteration.finished':
      return { progress: true };
    default:
      return {};
  }
}
