import type { Fact } from '../../protocol/index.ts';
import type { Moment } from '../settle/settle.ts';
import type { Loop } from '../state/loop.ts';
import { type Action, decide } from './decide.ts';
import { evolve } from './evolve.ts';

/** The facts that follow from the current state, to be written together, and the effect to carry out after them. */
export interface Advance {
  readonly facts: readonly Fact[];
  readonly action: Exclude<Action, { readonly type: 'record' }>;
}

/**
 * Decides until an effect is needed. `happened` holds the facts from the last effect; they are returned first, together
 * with what follows from them, so that the facts of one step share one sync.
 */
export function advance(loop: Loop, moment: Moment, happened: readonly Fact[] = []): Advance {
  const facts: Fact[] = [...happened];
  let ahead = happened.reduce((before, fact) => evolve(before, provisional(before, fact, moment)), loop);
  let elapsedMs = happened.some(accountsForTime) ? 0 : moment.elapsedMs;
  for (;;) {
    const action = decide(ahead, { nowMs: moment.nowMs, elapsedMs });
    if (action.type !== 'record') return { facts, action };
    for (const fact of action.facts) {
      facts.push(fact);
      ahead = evolve(ahead, provisional(ahead, fact, moment));
      if (accountsForTime(fact)) elapsedMs = 0;
    }
  }
}

/** Whether a fact carries the running time since the last one that did. */
export function accountsForTime(fact: Fact): boolean {
  return 'elapsedMs' in fact.data && fact.data.elapsedMs !== undefined && fact.data.elapsedMs > 0;
}

function provisional(loop: Loop, fact: Fact, { nowMs }: Moment) {
  return { ...fact, seq: loop.journal.seq + 1, at: new Date(nowMs).toISOString(), epoch: loop.journal.epoch };
}
