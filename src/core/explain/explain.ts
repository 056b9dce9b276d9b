import type { RuleStanding, Status } from '../../protocol/index.ts';
import { doubtsOf, warningsOf } from '../gate/doubts.ts';
import { paceOf } from '../rules/pace.ts';
import { sessionHealth } from '../rules/session-health.ts';
import { standings } from '../rules/stop-rules.ts';
import type { Loop } from '../state/loop.ts';
import { deniedTools } from './evidence.ts';
import { explainActive, explainParked } from './explain-active.ts';
import { explainEnd, explainPause } from './explain-end.ts';
import type { Account, Explanation } from './explanation.ts';

/** The public status of a loop, and the current time. */
export interface ExplainContext {
  readonly nowMs: number;
  /** A loop that is running according to its state but has lost its owner is shown as crashed. */
  readonly shownStatus?: Status | 'idle';
  /** When to resume a waiting loop that no process drives, because its owner shut down cleanly. */
  readonly wakeAt?: string | undefined;
}

/** Explains a loop in any state: why it stopped, paused or is waiting, or what would stop it next. */
export function explain(loop: Loop, { nowMs, shownStatus = loop.status, wakeAt }: ExplainContext): Explanation {
  // What might have stopped a completed loop no longer matters.
  const rules = shownStatus === 'completed' ? [] : nearestFirst(standings(loop));
  const isParked = shownStatus === 'running' && wakeAt !== undefined;
  const { next, ...account } = isParked
    ? explainParked(loop, { nowMs, rules })
    : accountOf(loop, { nowMs, shownStatus, rules });
  const session = sessionHealth(loop);
  return {
    ...account,
    evidence: [...account.evidence, ...(shownStatus === 'completed' ? [] : deniedTools(loop))],
    rules,
    pace: paceOf(loop),
    ...(session === undefined ? {} : { session }),
    doubts: doubtsOf(loop),
    warnings: warningsOf(loop),
    proof: loop.outcome.proof ?? 'none',
    next,
  };
}

/** The rules by how close they are; one that cannot be measured comes last. */
export function nearestFirst(rules: readonly RuleStanding[]): readonly RuleStanding[] {
  return rules.toSorted((one, other) => (other.near ?? -1) - (one.near ?? -1));
}

function accountOf(
  loop: Loop,
  { shownStatus, ...context }: Required<Omit<ExplainContext, 'wakeAt'>> & { readonly rules: readonly RuleStanding[] },
): Account {
  switch (shownStatus) {
    case 'idle':
    case 'running':
    case 'completing':
      return explainActive(loop, context);
    case 'paused':
      return explainPause(loop, context.nowMs);
    case 'crashed':
      return explainEnd(loop, loop.status === 'crashed' ? 'crashed' : 'lost');
    case 'completed':
    case 'failed':
    case 'aborted':
      return explainEnd(loop, shownStatus);
  }
}
