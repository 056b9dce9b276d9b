import { expect, test } from 'vitest';
import type { LoopStatus } from '../../app/index.ts';
import { edit, idleLoop, type LoopEdit } from '../../core/index.ts';
import { configSchema, type Pulse } from '../../protocol/index.ts';
import { viewOf } from '../../views/index.ts';
import { lastActivityOf, nowObject, nowRows, runningMsOf } from './now.ts';

const id = 'ralph-x-a1b2c3d4';
const at = (seconds: number) => new Date(Date.parse('2026-11-01T12:00:00.000Z') + seconds * 1_000).toISOString();
const nowMs = Date.parse(at(100));
const owner = {
  host: 'here',
  bootId: 'boot',
  pid: 7,
  startTime: '1',
  epoch: 1,
  since: at(0),
  liveness: 'alive',
} as const;
const current = {
  iteration: 1,
  attempt: 1,
  epoch: 1,
  startedAt: at(40),
  stage: 'executing',
  delivered: { guidance: [], handOff: false },
} as const;

function statusOf(seen: LoopEdit, more: Partial<LoopStatus> = {}): LoopStatus {
  const running = { id, status: 'running', journal: { lastActivityAt: at(41) }, totals: { runningMs: 5_000 } } as const;
  const loop = edit(edit(idleLoop(configSchema.parse({})), running), seen);
  return {
    view: viewOf(loop),
    folder: '',
    lastSeq: 1,
    shownStatus: loop.status,
    owner,
    ownerState: 'working',
    problems: [],
    ...more,
  };
}

const origin = { version: 1, loopId: id, epoch: 1, at: at(95), iteration: 1, attempt: 1 } as const;
const agent: Pulse = {
  ...origin,
  step: 'agent',
  since: at(41),
  pid: 8,
  model: 'opus',
  usage: { inputTokens: 1_000, outputTokens: 500, costUsd: 0.25 },
  recent: [{ number: 1, at: at(97), kind: 'tool', text: 'Bash npm test' }],
};

const rowsOf = (found: LoopStatus) => nowRows(found, nowMs).filter(([, value]) => value !== undefined);

test('the time of a running loop passes while nothing happens, and stands when no process runs it', () => {
  expect(runningMsOf(statusOf({ position: { current } }), nowMs)).toBe(65_000);
  expect(runningMsOf(statusOf({}), nowMs)).toBe(64_000);
  expect(runningMsOf(statusOf({}, { ownerState: 'dead', shownStatus: 'crashed' }), nowMs)).toBe(5_000);
  expect(runningMsOf(statusOf({ status: 'paused' }), nowMs)).toBe(5_000);
});

test('a new owner does not count the time in which no process ran the loop', () => {
  const found = statusOf({ position: { current } }, { owner: { ...owner, since: at(90) } });
  expect(runningMsOf(found, nowMs)).toBe(15_000);
});

test('the agent at work is shown with its last activity, its model and what it has used', () => {
  const found = statusOf({ position: { current } }, { pulse: agent });
  expect(rowsOf(found)).toEqual([
    ['now', 'the agent has been working for 59s'],
    ['activity', '3s ago: Bash npm test'],
    ['model', 'opus'],
    ['this run', '1.5k tokens, $0.25'],
  ]);
  expect(lastActivityOf(found)).toBe(at(97));
  expect(nowObject(found, nowMs)).toEqual({
    step: 'agent',
    since: at(41),
    elapsedMs: 59_000,
    model: 'opus',
    usage: agent.usage,
    activity: agent.recent[0],
    isAdopted: false,
  });
});

test('the check that runs is shown with its place among all checks', () => {
  const check = { step: 'check', purpose: 'gate', index: 2, count: 3, command: 'npm run lint', since: at(90) } as const;
  const found = statusOf(
    { position: { current: { ...current, stage: 'verifying' } } },
    { pulse: { ...origin, ...check } },
  );
  expect(rowsOf(found)[0]).toEqual(['now', 'check 2 of 3 for 10s: npm run lint']);
  expect(nowObject(found, nowMs)).toMatchObject({
    step: 'check',
    index: 2,
    count: 3,
    command: 'npm run lint',
    elapsedMs: 10_000,
  });
});

test('without a pulse the facts say what is being done', () => {
  const found = statusOf({ position: { current } });
  expect(rowsOf(found)).toEqual([
    ['now', 'the agent has been working for 1m 0s'],
    ['activity', '59s ago'],
  ]);
  expect(nowObject(found, nowMs)).toEqual({ step: 'agent', since: at(40), elapsedMs: 60_000 });
  expect(nowObject(statusOf({ status: 'paused' }), nowMs)).toBeNull();
});

test('what was requested and is still to be done is shown', () => {
  const requests = { pause: { now: false, reason: 'user_pause' }, reboot: true } as const;
  const found = statusOf({ commands: { requests, guidance: [{ id: 'g', number: 1, text: 'x' }] } });
  expect(rowsOf(found).at(-1)).toEqual([
    'requested',
    'pause after this iteration, new session before the next iteration, guidance for the next prompt',
  ]);
  expect(found.view.requested).toEqual(['pause', 'reboot', 'guide']);
});
