import type { Batch } from '../../fleet/index.ts';
import type { Fact } from '../../protocol/index.ts';

/** What a batch of facts changes about the place of its loop in the fleet. */
export function consequencesOf(
  facts: readonly Fact[],
): Pick<Batch, 'status' | 'wakeAt' | 'title' | 'answers' | 'progress' | 'blockedUntil' | 'blockedWhy'> {
  let effects: ReturnType<typeof consequencesOf> = {};
  for (const fact of facts) effects = { ...effects, ...effectOf(fact) };
  const answers = facts.flatMap(answeredBy);
  return { ...effects, ...(answers.length === 0 ? {} : { answers }) };
}

function answeredBy(fact: Fact): readonly string[] {
  return fact.type === 'command.accepted' || fact.type === 'command.refused' ? [fact.data.id] : [];
}

function effectOf(fact: Fact): ReturnType<typeof consequencesOf> {
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
    case 'wait.scheduled':
      // A provider's limit counts for every loop that uses the account.
      return fact.data.cause === 'limit'
        ? { blockedUntil: fact.data.until, blockedWhy: fact.data.message.slice(0, 500) }
        : {};
    case 'iteration.finished':
      return { progress: true };
    default:
      return {};
  }
}
