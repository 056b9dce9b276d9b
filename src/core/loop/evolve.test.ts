import { expect, test } from 'vitest';
import { type Fact, type FactType, factTypes, type RecordedFact, type Status, statuses } from '../../protocol/index.ts';
import { edit } from '../state/edits.ts';
import { idleLoop, type Loop } from '../state/loop.ts';
import { maxSessions } from '../state/session.ts';
import { maxCompletionChecks } from '../state/verification.ts';
import {
  agentFinished,
  configOf,
  counts,
  fileGuard,
  gateFinished,
  loopStarted,
  someProcess,
} from '../testing/facts.ts';
import { Story, startedStory } from '../testing/story.ts';
import { evolve, replay } from './evolve.ts';
import { isTerminal } from './status.ts';

const first = { iteration: 1, attempt: 1 };
const progress = { made: true, evidence: [] };
const end = { reason: 'completed', message: '', verified: true, elapsedMs: 5 } as const;

const samples: { readonly [Type in FactType]: Extract<Fact, { type: Type }>['data'] } = {
  'segment.opened': { segment: '2-1', owner: someProcess, previous: null },
  'loop.started': (loopStarted() as Extract<Fact, { type: 'loop.started' }>).data,
  'environment.captured': { id: 'e', digest: 'd', folders: [], files: 0, bytes: 0, durationMs: 5, elapsedMs: 5 },
  'loop.continued': {
    from: 'ralph-fix-tests-00000000',
    status: 'failed',
    reason: 'max_iterations',
    iterations: 3,
    work: { summaries: ['half of it'], notes: { pending: ['the rest'] }, files: ['a.ts'], guidance: [] },
  },
  'loop.imported': {
    from: 'aiwg',
    path: 'state.json',
    digest: 'd',
    status: 'running',
    iteration: 3,
    finished: 2,
    totals: { successful: 1, failed: 1, reboots: 0, durationMs: 5 },
    checks: [],
    learnings: ['use pnpm'],
    files: ['a.ts'],
  },
  'gate.accepted': { guards: [fileGuard('check.sh', 'b')], changed: ['check.sh'] },
  'config.changed': { config: {}, configHash: 'other' },
  'loop.paused': { reason: 'user_pause', message: 'paused', elapsedMs: 5 },
  'loop.resumed': {},
  'loop.recovered': { problems: [] },
  'state.restored': { what: ['the journal'] },
  'loop.restored': { from: 's3://bucket', backup: '000001-000000001', workingDirectory: '/work' },
  'backup.finished': { target: 'nas', backup: '000001-000000001', upTo: 3, bytes: 5 },
  'loop.completing': { verified: true },
  'loop.ended': { status: 'completed', ...end },
  'stop_rule.triggered': { rule: 'pattern', message: '', evidence: [], elapsedMs: 5 },
  'wait.scheduled': { until: '2026-11-01T13:00:00.000Z', cause: 'limit', message: '' },
  'loop.parked': { wakeAt: '2026-11-01T13:00:00.000Z', elapsedMs: 5 },
  'session.stopped': { session: { agent: 'claude', id: 's' }, elapsedMs: 1 },
  'reboot.started': { cause: 'manual' },
  'reboot.finished': { cause: 'manual', ok: true },
  'question.asked': { point: 'iteration', iteration: 1, why: ['attended'], elapsedMs: 5 },
  'question.answered': { point: 'iteration', iteration: 1, decision: 'continue', by: 'person' },
  'mode.changed': { from: 'unattended', to: 'attended', cause: 'command' },
  'rollback.finished': {
    iteration: 1,
    ok: true,
    files: ['a.ts'],
    count: 1,
    backup: 'refs/ralphd/backup',
    elapsedMs: 5,
  },
  'command.accepted': { id: 'c', command: 'abort' },
  'command.refused': { id: 'c', command: 'skip', why: '' },
  'baseline.finished': { verdict: 'passed', checks: [], elapsedMs: 5 },
  'iteration.started': { ...first, session: 'fresh', handOff: false, guidance: [], elapsedMs: 5 },
  'end.decided': { status: 'failed', reason: 'max_iterations', message: '' },
  'loop_hooks.started': { point: 'loop_start' },
  'loop_hooks.finished': { point: 'loop_start', results: [], elapsedMs: 5 },
  'hooks.started': { ...first, point: 'pre_iteration' },
  'hooks.finished': { ...first, point: 'pre_iteration', results: [] },
  'agent.started': { ...first, process: someProcess },
  'agent.finished': (agentFinished(first) as Extract<Fact, { type: 'agent.finished' }>).data,
  'conditions.observed': { ...first, results: [{ key: 'stop.0', met: true }] },
  'gate.started': first,
  'gate.finished': (gateFinished(first, { verdict: 'passed' }) as Extract<Fact, { type: 'gate.finished' }>).data,
  'iteration.finished': { ...first, status: 'completed', progress, durationMs: 5, elapsedMs: 5 },
  'iteration.interrupted': { ...first, cause: 'request', message: '', elapsedMs: 5 },
};

const ends = (['completed', 'failed', 'aborted', 'crashed'] as const).map((status): [string, Fact] => [
  `loop.ended as ${status}`,
  { type: 'loop.ended', data: { ...end, status } },
]);

const facts: readonly [string, Fact][] = [
  ...factTypes.map((type): [string, Fact] => [type, { type, data: samples[type] } as Fact]),
  ...ends,
];

/** Every status change that a fact may cause; everything else stays as it is. */
const moves: Record<string, Status> = {
  'idle + loop.started': 'running',
  'running + loop.paused': 'paused',
  'paused + loop.resumed': 'running',
  'running + loop.completing': 'completing',
  'running + loop.ended as failed': 'failed',
  'running + loop.ended as aborted': 'aborted',
  'running + loop.ended as crashed': 'crashed',
  'paused + loop.ended as aborted': 'aborted',
  'completing + loop.ended': 'completed',
  'completing + loop.ended as completed': 'completed',
  'completing + loop.ended as failed': 'failed',
  'completing + loop.ended as crashed': 'crashed',
};

function recorded(fact: Fact): RecordedFact {
  return { ...fact, seq: 99, at: '2026-11-02T00:00:00.000Z', epoch: 7 };
}

function loopIn(status: Status | 'idle'): Loop {
  return status === 'idle' ? idleLoop(configOf()) : { ...startedStory().loop, status };
}

const pairs = [...statuses, 'idle' as const].flatMap((status) => facts.map(([name, fact]) => ({ status, name, fact })));

test.each(pairs)(
  'A163 A164 A165 A166 A167 R2: $status + $name leads only to the status in the table',
  ({ status, name, fact }) => {
    const after = evolve(loopIn(status), recorded(fact));
    expect(after.status).toBe(moves[`${status} + ${name}`] ?? status);
    expect(after).toMatchObject({ journal: { seq: 99, epoch: 7 } });
  },
);

test.each(pairs.filter(({ status }) => isTerminal(status)))(
  'A166 R2: in $status, $name changes nothing but the position in the journal',
  ({ status, fact }) => {
    const before = loopIn(status);
    const after = edit(evolve(before, recorded(fact)), { journal: { owner: undefined } });
    expect(after).toEqual({ ...before, journal: { ...before.journal, seq: 99, epoch: 7 } });
  },
);

test.each(pairs.filter(({ status, name }) => status === 'idle' && name !== 'loop.started'))(
  'before its start a loop is not changed by $name',
  ({ fact }) => {
    const after = edit(evolve(loopIn('idle'), recorded(fact)), { journal: { owner: undefined } });
    expect(after).toEqual(edit(loopIn('idle'), { journal: { seq: 99, epoch: 7 } }));
  },
);

test.each(pairs.filter(({ status, name }) => status === 'running' && name !== 'segment.opened'))(
  'A025 A058: in a running loop $name refreshes the last activity',
  ({ fact }) => {
    expect(evolve(loopIn('running'), recorded(fact)).journal.lastActivityAt).toBe('2026-11-02T00:00:00.000Z');
  },
);

test('R7: only facts that were applied add running time', () => {
  expect(
    evolve(loopIn('paused'), recorded({ type: 'loop.paused', data: samples['loop.paused'] })).totals.runningMs,
  ).toBe(0);
  expect(
    evolve(loopIn('running'), recorded({ type: 'loop.paused', data: samples['loop.paused'] })).totals.runningMs,
  ).toBe(5);
  const other = { ...samples['iteration.finished'], iteration: 2 };
  expect(
    evolve(startedStory().reach('begun').loop, recorded({ type: 'iteration.finished', data: other })).totals.runningMs,
  ).toBe(0);
});

test('a parked loop stays parked while commands are answered, until it is resumed', () => {
  const after = (...types: readonly FactType[]) =>
    types.reduce((loop, type) => evolve(loop, recorded({ type, data: samples[type] } as Fact)), loopIn('running'));
  const { wakeAt } = samples['loop.parked'];
  expect(after('loop.parked')).toMatchObject({ status: 'running', pending: { wakeAt }, totals: { runningMs: 5 } });
  expect(after('loop.parked', 'segment.opened', 'command.accepted', 'command.refused').pending.wakeAt).toBe(wakeAt);
  const idle: readonly string[] = ['command.accepted', 'command.refused', 'loop.parked', 'segment.opened'];
  const going = factTypes.filter((type) => !idle.includes(type));
  for (const type of going) expect(after('loop.parked', type).pending, type).not.toHaveProperty('wakeAt');
  expect(evolve(loopIn('paused'), recorded({ type: 'loop.parked', data: samples['loop.parked'] })).pending).toEqual(
    loopIn('paused').pending,
  );
});

const wrong = [
  ['another iteration', { iteration: 2, attempt: 1 }],
  ['another attempt', { iteration: 1, attempt: 2 }],
] as const;

test.each(wrong)('facts about %s than the one under way change nothing of it', (_case, name) => {
  for (const stage of ['begun', 'executing', 'executed', 'verifying', 'verified'] as const) {
    const { loop } = startedStory().reach(stage);
    for (const type of factTypes.filter((type) => 'attempt' in samples[type])) {
      const after = evolve(loop, recorded({ type, data: { ...samples[type], ...name } } as Fact));
      expect(after).toEqual({
        ...loop,
        journal: { ...loop.journal, seq: 99, epoch: 7, lastActivityAt: after.journal.lastActivityAt },
      });
    }
  }
});

test.each([
  ['begun', ['hooks.finished', 'agent.started', 'agent.finished']],
  ['executing', ['agent.finished']],
  ['executed', ['gate.started']],
  ['verifying', ['gate.started', 'gate.finished']],
  ['verified', []],
] as const)('an attempt that is %s accepts only the facts that can follow', (stage, accepts: readonly string[]) => {
  const { loop } = startedStory().reach(stage);
  const names = [
    'iteration.started',
    'hooks.finished',
    'agent.started',
    'agent.finished',
    'gate.started',
    'gate.finished',
  ] as const;
  for (const type of names) {
    const after = evolve(loop, recorded({ type, data: samples[type] } as Fact));
    const ignored = {
      ...loop,
      journal: { ...loop.journal, seq: 99, epoch: 7, lastActivityAt: after.journal.lastActivityAt },
    };
    if (accepts.includes(type)) expect(after.position.current).not.toBe(loop.position.current);
    else expect(after).toEqual(ignored);
  }
});

test.each([
  ['a number was left out', { iteration: 3, attempt: 1 }],
  ['the iteration was finished', { iteration: 1, attempt: 1 }],
  ['an attempt was left out', { iteration: 2, attempt: 2 }],
])('A045: an iteration cannot begin when %s', (_case, name) => {
  const story = startedStory().run();
  story.advance();
  const after = evolve(
    story.loop,
    recorded({ type: 'iteration.started', data: { ...samples['iteration.started'], ...name } }),
  );
  expect(after.position.current).toBeUndefined();
  expect(after.position.iteration).toBe(1);
});

test('a configuration that does not parse leaves the previous one in place', () => {
  const { loop } = startedStory({ config: { maxIterations: 7 } });
  const broken = { config: { maxIterations: 'many' }, configHash: 'other' };
  expect(evolve(loop, recorded({ type: 'config.changed', data: broken })).config).toEqual(loop.config);
});

test('A160 A171: the newest twenty completion checks stay, and the newest sessions', () => {
  const stopConditions = { maxTestFailureStreak: 0, maxNoProgressIterations: 0 };
  const story = startedStory({ config: { stopConditions } });
  for (let iteration = 1; iteration <= 25; iteration += 1) {
    story
      .run({ claimed: true })
      .gate({ verdict: 'failed', tests: counts(1) })
      .advance();
  }
  expect(story.loop.verification.completionChecks.map(({ iteration }) => iteration)).toEqual(
    Array.from({ length: maxCompletionChecks }, (_, index) => index + 6),
  );
  expect(story.loop.session.history).toHaveLength(maxSessions);
});

test('A162: what agents reported adds up, including attempts that cost no iteration', () => {
  const story = startedStory();
  story.run({ usage: { inputTokens: 10, costUsd: 0.5 }, durationMs: 3 }).advance();
  story.run({ outcome: 'rate_limited', usage: { outputTokens: 5, costUsd: 0.25 }, durationMs: 4 }).advance();
  expect(story.loop).toMatchObject({
    position: { finished: 1 },
    totals: { spent: { tokens: 15, costUsd: 0.75, runs: 2 }, stats: { iterations: 1, totalExecutionMs: 7 } },
  });
});

test('replaying a journal gives the original loop, whether in one part or in two', () => {
  const story = startedStory({ config: { iterationDelay: '5s' } }).command({ command: 'guide', text: 'hint' });
  story.run({ claimed: true }).gate({ verdict: 'failed' }).advance();
  story.takeOver().run({ outcome: 'rate_limited' }).advance();
  expect(replay(story.facts)).toEqual(story.loop);
  expect(replay(story.facts.slice(9), replay(story.facts.slice(0, 9)))).toEqual(story.loop);
});

test('a new story starts with an idle loop', () => {
  expect(replay([])).toEqual(new Story().loop);
});

test('R1: once the agent is done the loop verifies, even after a pause in between', () => {
  const story = startedStory().reach('executing');
  expect(story.loop.phase).toBe('executing');
  story.tell(agentFinished(story.attempt, { claimed: true }));
  expect(story.loop.phase).toBe('verifying');
  story.command({ command: 'pause', now: true }).advance();
  expect(story.loop.phase).toBe('paused');
  story.command({ command: 'resume' }).advance();
  expect(story.loop).toMatchObject({ status: 'running', phase: 'verifying' });
});
