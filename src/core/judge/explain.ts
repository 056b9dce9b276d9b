import type { Status } from '../../protocol/index.ts';
import { toldDoubts } from '../gate/doubt-words.ts';
import { warningsOf } from '../gate/doubts.ts';
import type { ShownLoop } from '../loop/loop.ts';
import { explainActive } from './explain-active.ts';
import { explainEnd, explainPause } from './explain-end.ts';
import type { Account, Explanation } from './explanation.ts';
import { paceOf } from './pace.ts';
import type { RuleStanding } from './rule-standing.ts';
import { standings } from './stop-rules.ts';

/** How a loop is seen from outside, and when. */
export interface Sight {
  readonly nowMs: number;
  /** The public status: a loop that says it runs but has lost its owner is shown as crashed. */
  readonly shownStatus?: Status | 'idle';
}

/** Explains a loop in any state it can be in: why it stopped, waits or rests, or what would stop it next. */
export function explain(loop: ShownLoop, { nowMs, shownStatus = loop.status }: Sight): Explanation {
  // What might have stopped a loop that is done no longer matters.
  const rules = shownStatus === 'completed' ? [] : nearestFirst(standings(loop));
  const { next, ...account } = accountOf(loop, { nowMs, shownStatus, rules });
  return {
    ...account,
    rules,
    pace: paceOf(loop),
    doubts: toldDoubts(loop),
    warnings: warningsOf(loop),
    proof: loop.proof ?? 'none',
    next,
  };
}

/** The rules by how near they are; one that cannot be measured comes last. */
export function nearestFirst(rules: readonly RuleStanding[]): readonly RuleStanding[] {
  return rules.toSorted((one, other) => (other.near ?? -1) - (one.near ?? -1));
}

function accountOf(
  loop: ShownLoop,
  { shownStatus, ...seen }: Required<Sight> & { readonly rules: readonly RuleStanding[] },
): Account {
  switch (shownStatus) {
    case 'idle':
    case 'running':
    case 'completing':
      return explainActive(loop, seen);
    case 'paused':
      return explainPause(loop, seen.nowMs);
    case 'crashed':
      return explainEnd(loop, loop.status === 'crashed' ? 'crashed' : 'lost');
    case 'completed':
    case 'failed':
    case 'aborted':
      return explainEnd(loop, shownStatus);
  }
}
