import { expect, test } from 'vitest';
import { type StopReason, statuses, stopReasons } from '../../protocol/index.ts';
import { exitCodeOf } from './exit-code.ts';

const whenPaused: Partial<Record<StopReason, number>> = {
  max_iterations: 2,
  max_time: 2,
  max_tokens: 2,
  max_output_tokens: 2,
  max_tool_calls: 2,
  max_files_changed: 2,
  max_lines_changed: 2,
  max_reboots: 2,
  max_cost: 2,
  user_pause: 5,
  interrupted: 130,
  provider_limit: 75,
  environment: 5,
  configuration: 78,
};

const whenFailed: Record<StopReason, number> = {
  completed: 1,
  max_iterations: 2,
  max_time: 2,
  max_tokens: 2,
  max_output_tokens: 2,
  max_tool_calls: 2,
  max_files_changed: 2,
  max_lines_changed: 2,
  max_reboots: 2,
  max_cost: 2,
  no_progress: 4,
  test_failures: 4,
  iteration_failures: 4,
  same_error: 4,
  protected_files: 4,
  pattern: 4,
  script: 4,
  condition: 4,
  user_abort: 1,
  user_pause: 1,
  interrupted: 130,
  provider_limit: 75,
  environment: 1,
  configuration: 78,
  recovery_failed: 1,
};

test.each(stopReasons)(
  'R4: a loop that failed for %s exits with the code of that reason, never with success',
  (reason) => {
    expect(exitCodeOf({ status: 'failed', outcome: { reason } })).toBe(whenFailed[reason]);
  },
);

test.each(Object.entries(whenPaused) as [StopReason, number][])(
  'a loop that is paused because of %s exits with %i',
  (reason, code) => {
    expect(exitCodeOf({ status: 'paused', outcome: { reason } })).toBe(code);
  },
);

test('only a completed loop exits with 0, whatever its reason', () => {
  const successes = statuses.filter((status) => exitCodeOf({ status, outcome: { reason: 'completed' } }) === 0);
  expect(successes).toEqual(['completed']);
  expect(exitCodeOf({ status: 'completed', outcome: {} })).toBe(0);
});

test.each([...statuses.filter((status) => status !== 'completed'), 'idle' as const])(
  'a loop that is %s without a reason did not succeed',
  (status) => {
    expect(exitCodeOf({ status, outcome: {} })).toBe(1);
  },
);

test('an aborted loop exits with 1, and so does a crashed one', () => {
  expect(exitCodeOf({ status: 'aborted', outcome: { reason: 'user_abort' } })).toBe(1);
  expect(exitCodeOf({ status: 'crashed', outcome: { reason: 'recovery_failed' } })).toBe(1);
});
