import { expect, test } from 'vitest';
import { type SessionStop, sessionCeiling, whyLetStop } from './session-stop.ts';

const stop: SessionStop = {
  event: 'Stop',
  sessionId: 's-1',
  message: 'Done.',
  backgroundTasks: 0,
  wakeUps: 0,
  isPlanning: false,
};

test('B136: the loop decides about a turn that ended by itself', () => {
  expect(whyLetStop(stop, { iteration: 1, isProviderError: false })).toBeUndefined();
  expect(whyLetStop({ ...stop, stopReason: 'end_turn' }, { iteration: 1, isProviderError: false })).toBeUndefined();
});

test.each([
  ['other_event', { event: 'SubagentStop' }],
  ['stop_reason', { stopReason: 'user_interrupt' }],
  ['background_tasks', { backgroundTasks: 1 }],
  ['wake_ups', { wakeUps: 1 }],
  ['planning', { isPlanning: true }],
] as const)('B136: a session may stop for the cause %s', (cause, change) => {
  expect(whyLetStop({ ...stop, ...change }, { iteration: 1, isProviderError: false })).toBe(cause);
});

test('B136: a session may stop when its provider failed', () => {
  expect(whyLetStop(stop, { iteration: 1, isProviderError: true })).toBe('provider_error');
});

test('B138: no iteration follows the last one of the ceiling', () => {
  const at = (iteration: number) => whyLetStop(stop, { iteration, isProviderError: false });
  expect(at(sessionCeiling - 1)).toBeUndefined();
  expect(at(sessionCeiling)).toBe('ceiling');
});
