import { expect, test } from 'vitest';
import { type LoopState, loopStates, phases, type Status, statuses } from '../../protocol/index.ts';
import {
  canMove,
  canPause,
  canResume,
  canStart,
  isActiveState,
  isTerminal,
  isTerminalState,
  runnerState,
} from './status.ts';

const allowed: readonly string[] = [
  'running -> paused',
  'running -> completing',
  'running -> failed',
  'running -> aborted',
  'running -> crashed',
  'paused -> running',
  'paused -> aborted',
  'completing -> completed',
  'completing -> failed',
  'completing -> crashed',
];

test('A147: the public statuses are those of the state document', () => {
  expect(statuses).toEqual(['running', 'paused', 'completing', 'completed', 'failed', 'aborted', 'crashed']);
});

test.each(statuses.flatMap((from) => statuses.map((to) => [from, to] as const)))(
  'A163 A164 A165 A166 A167: %s -> %s is allowed only if the table lists it',
  (from, to) => {
    expect(canMove(from, to)).toBe(allowed.includes(`${from} -> ${to}`));
  },
);

test('A166 R2: exactly four statuses are terminal, and they are those that cannot be left', () => {
  expect(statuses.filter(isTerminal)).toEqual(['completed', 'failed', 'aborted', 'crashed']);
  expect(statuses.filter((from) => !statuses.some((to) => canMove(from, to)))).toEqual(statuses.filter(isTerminal));
  expect(isTerminal('idle')).toBe(false);
});

test('A019: the states of the runner are those of its document, in snake case', () => {
  expect(loopStates).toEqual(['idle', 'running', 'paused', 'rebooting', 'completed', 'error', 'stopped']);
});

const stateOf: Record<Status | 'idle', LoopState> = {
  idle: 'idle',
  running: 'running',
  paused: 'paused',
  completing: 'running',
  completed: 'completed',
  failed: 'error',
  aborted: 'stopped',
  crashed: 'error',
};

test.each([...statuses, 'idle' as const])('A019 R1: in any phase, %s has one runner state', (status) => {
  for (const phase of phases) {
    const expected = status === 'running' && phase === 'rebooting' ? 'rebooting' : stateOf[status];
    expect(runnerState(status, phase)).toBe(expected);
  }
});

test.each([
  ['a runner is done for good', isTerminalState, ['completed', 'error', 'stopped']],
  ['a runner is at work', isActiveState, ['running', 'rebooting']],
  ['a runner may be started', canStart, ['idle', 'error', 'stopped']],
  ['a runner may be paused', canPause, ['running']],
  ['a runner may be resumed', canResume, ['paused']],
] as const)('A020-A023: %s in exactly the states of its document', (_what, predicate, expected) => {
  expect(loopStates.filter(predicate)).toEqual(expected);
});
