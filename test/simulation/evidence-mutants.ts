import { edit, type Loop } from '../../src/core/index.ts';
import type { Fact, FactType, LoopConfig } from '../../src/protocol/index.ts';
import { evolving, type Mutant } from './mutants.ts';
import { type Rules, realRules } from './rules.ts';

/** Bugs that base a verdict on part of the evidence, or overstate it. */
export const evidenceMutants: readonly Mutant[] = [
  evolving('checks that are only due complete the loop', (_before, fact, after) => {
    const { current } = after.position;
    if (fact.type !== 'gate.finished' || current?.gate?.isPeriodic === undefined) return after;
    const { isPeriodic: _isPeriodic, ...gate } = current.gate;
    return edit(after, { position: { current: { ...current, gate } } });
  }),
  evolving('an owner that dies forgets that nothing was claimed', (_before, fact, after) => {
    const { current } = after.position;
    if (fact.type !== 'segment.opened' || current?.isPeriodic === undefined) return after;
    const { isPeriodic: _isPeriodic, ...rest } = current;
    return edit(after, { position: { current: rest } });
  }),
  {
    bug: 'checks that are due wait for a claim',
    rules: {
      ...realRules,
      advance: (loop, moment, happened) =>
        realRules.advance({ ...loop, config: { ...loop.config, testEvery: 0 } }, moment, happened),
    },
  },
  mutant('failing tests that were counted do not outrank an exit code of 0', {
    checkVerdict: ({ report: _report, ...evidence }) => realRules.checkVerdict(evidence),
  }),
  misreading('a claim completes although nothing changed', (fact) => {
    if (fact.type !== 'gate.finished') return fact;
    const { changedFiles: _changedFiles, verdict, ...data } = fact.data;
    return { ...fact, data: { ...data, verdict: verdict === 'unchanged' ? 'passed' : verdict } };
  }),
  misreading('what could not be told passes for no change', (fact) =>
    fact.type === 'gate.finished'
      ? { ...fact, data: { ...fact.data, changedFiles: fact.data.changedFiles ?? 0 } }
      : fact,
  ),
  deciding('a trusted promise is refused because nothing changed', 'gate.finished', { trustPromise: false }),
  mutant('checks that were green all along are not doubted', {
    doubtsOf: (loop) => realRules.doubtsOf(loop).filter(({ code }) => code !== 'already_green'),
  }),
  mutant('a green baseline is doubted although more tests pass now', {
    doubtsOf: (loop) => [
      ...realRules.doubtsOf(loop),
      ...(loop.verification.baseline?.verdict === 'passed' ? [{ code: 'already_green' } as const] : []),
    ],
  }),
  evolving('the baseline is forgotten when an owner dies in an iteration', (_before, fact, after) =>
    fact.type === 'segment.opened' && after.position.iteration > 0
      ? edit(after, { verification: { baseline: undefined } })
      : after,
  ),
  misreading('a broken baseline starts the loop', (fact) => {
    if (fact.type !== 'baseline.finished') return fact;
    const { obstacle: _obstacle, ...data } = fact.data;
    return {
      ...fact,
      data: { ...data, checks: data.checks.map((check) => ({ ...check, verdict: 'failed' as const })) },
    };
  }),
  evolving('a broken baseline is forgotten when an owner dies right after it', (_before, fact, after) =>
    fact.type === 'segment.opened' && after.position.iteration === 0
      ? edit(after, { pending: { owed: undefined } })
      : after,
  ),
  deciding('a broken baseline that is allowed pauses the loop', 'baseline.finished', { allowBrokenBaseline: false }),
  mutant('a resume takes a broken baseline for a good one', {
    advance: (loop, moment, happened) => {
      const { facts, action } = realRules.advance(loop, moment, happened);
      if (action.type !== 'baseline' || loop.status !== 'paused' || loop.verification.baseline === undefined)
        return { facts, action };
      const next = realRules.advance(
        { ...loop, status: 'running', commands: { ...loop.commands, requests: {} } },
        moment,
      );
      return { facts: [...facts, ...next.facts], action: next.action };
    },
  }),
  evolving('one obstacle is enough to pause', (before, fact, after) => {
    const isObstructed = before.position.current?.gate?.obstacle !== undefined && after.position.earned === undefined;
    if (fact.type !== 'iteration.finished' || !isObstructed || after.pending.owed?.cause === 'hook') return after;
    return { ...after, pending: { ...after.pending, owed: { cause: 'obstacle', message: 'once' } } };
  }),
  misreading('no obstacle ever pauses the loop', (fact) => {
    if (fact.type !== 'gate.finished') return fact;
    const { obstacle: _obstacle, ...data } = fact.data;
    return { ...fact, data };
  }),
  misreading('two different obstacles count as one', (fact) => {
    if (fact.type !== 'gate.finished' || fact.data.obstacle === undefined) return fact;
    return { ...fact, data: { ...fact.data, obstacle: { ...fact.data.obstacle, code: 'ANY' } } };
  }),
  evolving('how far a proof reaches is forgotten when an owner dies', (_before, fact, after) =>
    fact.type === 'segment.opened' && after.status === 'completing'
      ? edit(after, { outcome: { proof: undefined } })
      : after,
  ),
  evolving('a completion that a gate proved is said to be proven by the settings', (_before, fact, after) => {
    if (fact.type !== 'gate.finished' || after.verification.latest === undefined) return after;
    const { proof: _proof, ...result } = after.verification.latest.result;
    return { ...after, verification: { ...after.verification, latest: { ...after.verification.latest, result } } };
  }),
  evolving('a trusted claim is said to be proven in the work tree', (_before, fact, after) =>
    fact.type === 'loop.completing' && !after.outcome.verified
      ? { ...after, outcome: { ...after.outcome, proof: 'tree' } }
      : after,
  ),
];

function mutant(bug: string, rules: Partial<Rules>): Mutant {
  return { bug, rules: { ...realRules, ...rules } };
}

/** Misreads a recorded fact, both in `advance` and in `evolve`. */
function misreading(bug: string, change: (fact: Fact) => Fact): Mutant {
  return mutant(bug, {
    evolve: (loop, fact) => realRules.evolve(loop, { ...fact, ...change(fact) }),
    advance: (loop, moment, written) => {
      const happened = written ?? [];
      const { facts, action } = realRules.advance(loop, moment, happened.map(change));
      return { facts: [...happened, ...facts.slice(happened.length)], action };
    },
  });
}

/** Handles facts of one type with different settings than the loop has. */
function deciding(bug: string, type: FactType, settings: Partial<LoopConfig>): Mutant {
  const under = (loop: Loop) => ({ ...loop, config: { ...loop.config, ...settings } });
  return mutant(bug, {
    evolve: (loop, fact) =>
      fact.type === type
        ? { ...realRules.evolve(under(loop), fact), config: loop.config }
        : realRules.evolve(loop, fact),
    advance: (loop, moment, happened) =>
      realRules.advance(happened?.some((fact) => fact.type === type) ? under(loop) : loop, moment, happened),
  });
}
