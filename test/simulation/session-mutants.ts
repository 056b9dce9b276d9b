import { edit, type Loop } from '../../src/core/index.ts';
import type { Fact, LoopConfig } from '../../src/protocol/index.ts';
import { evolving, type Mutant } from './mutants.ts';
import { realRules } from './rules.ts';

type Session = LoopConfig['session'];
type Samples = NonNullable<NonNullable<Loop['session']['current']>['samples']>;

/** Bugs in when a session is replaced, and in what an agent that only explores is told. */
export const sessionMutants: readonly Mutant[] = [
  deciding('a degraded session goes on', (loop) => withReboot(loop, { onDegradation: false })),
  deciding('one bad iteration is a degradation', (loop) =>
    withSamples(loop, (samples) =>
      samples.map((each, index) => ({
        ...each,
        quality: index < 2 ? each.quality : Math.min(...qualitiesOf(samples)),
      })),
    ),
  ),
  deciding('a session whose runs fail goes on', (loop) =>
    withSamples(loop, (samples) => samples.map((each) => ({ ...each, quality: Math.max(50, each.quality) }))),
  ),
  deciding('the time between two reboots is ignored', (loop) => withReboot(loop, { minInterval: 0 })),
  deciding('the number of reboots in an hour is ignored', (loop) => withReboot(loop, { maxPerHour: 1_000 })),
  deciding('a pattern reboots a session that is still new', (loop) => withReboot(loop, { minIterations: 0 })),
  deciding('the number of iterations in a session is ignored', (loop) =>
    withReboot(loop, { afterIterations: undefined }),
  ),
  deciding('a loop that leaves reboots to a person reboots by itself', (loop) =>
    withSession(loop, { autoReboot: true }),
  ),
  deciding('a limit holds back the reboot of a full session', (loop) =>
    (loop.session.reboots ?? []).some(({ ok }) => ok)
      ? { ...loop, config: { ...loop.config, contextRedlinePercent: 1_000 } }
      : loop,
  ),
  deciding('a reboot that failed is tried again before the iteration is finished', (loop) => {
    const { reboots = [] } = loop.session;
    return { ...loop, session: { ...loop.session, reboots: reboots.map((each) => ({ ...each, iteration: -1 })) } };
  }),
  evolving('a new session inherits the pattern of the old one', (before, fact, after) => {
    const { current } = after.session;
    if (fact.type !== 'iteration.started' || fact.data.session !== 'fresh' || current === undefined) return after;
    const hadOne = before.session.history.length > 0;
    return hadOne ? edit(after, { session: { current: { ...current, rebootPattern: 'as I said' } } }) : after;
  }),
  evolving('a session that was ended at the redline goes on', (_before, fact, after) => {
    const { current } = after.session;
    if (fact.type !== 'agent.finished' || !isEndedAtRedline(fact) || current === undefined) return after;
    return edit(after, { session: { current: { ...current, contextPercent: 0 } } });
  }),
  {
    bug: 'an agent is blamed for the redline of its session',
    rules: {
      ...realRules,
      advance: (loop, moment, happened) =>
        realRules.advance(
          loop,
          moment,
          happened?.map((fact) =>
            fact.type === 'agent.finished' && isEndedAtRedline(fact)
              ? { ...fact, data: { ...fact.data, ending: { kind: 'signalled', signal: 'SIGTERM' } } }
              : fact,
          ),
        ),
    },
  },
  evolving('a failed reboot is not kept', (before, fact, after) =>
    fact.type === 'reboot.finished' && !fact.data.ok ? { ...after, session: before.session } : after,
  ),
  evolving('an agent that only explores is told in every prompt', (_before, fact, after) => {
    const { spiral } = after.signals;
    if (fact.type !== 'agent.finished' || spiral === undefined) return after;
    const { iteration, reads } = spiral;
    return edit(after, { signals: { spiral: { iteration, reads } } });
  }),
  evolving('a correction is lost with its attempt', (before, fact, after) =>
    fact.type === 'iteration.interrupted' ? edit(after, { signals: { spiral: before.signals.spiral } }) : after,
  ),
  evolving('a run that did something is taken for an exploration', (_before, fact, after) =>
    fact.type === 'agent.finished' && fact.data.exploration !== undefined
      ? edit(after, { signals: { spiral: { iteration: 1, reads: 5 } } })
      : after,
  ),
];

function isEndedAtRedline({ data: { ending } }: Fact & { type: 'agent.finished' }): boolean {
  return ending.kind === 'stopped' && ending.by === 'redline';
}

/** Decides as if the loop were another one. */
function deciding(bug: string, change: (loop: Loop) => Loop): Mutant {
  const { advance } = realRules;
  return {
    bug,
    rules: { ...realRules, advance: (loop, moment, happened) => advance(change(loop), moment, happened) },
  };
}

function withSession(loop: Loop, session: Partial<Session>): Loop {
  return { ...loop, config: { ...loop.config, session: { ...loop.config.session, ...session } } };
}

function withReboot(loop: Loop, reboot: Partial<Session['reboot']>): Loop {
  return withSession(loop, { reboot: { ...loop.config.session.reboot, ...reboot } });
}

function qualitiesOf(samples: Samples): readonly number[] {
  return samples.slice(2).map(({ quality }) => quality);
}

function withSamples(loop: Loop, change: (samples: Samples) => Samples): Loop {
  const { current } = loop.session;
  return current?.samples === undefined
    ? loop
    : edit(loop, { session: { current: { ...current, samples: change(current.samples) } } });
}
