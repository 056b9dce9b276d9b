import { expect, test } from 'vitest';
import type { Fact } from '../../protocol/index.ts';
import { mayBeLast, type Notice, type NoticeMemory, noMemory, noticeOf } from './notices.ts';

const at = '2026-11-18T10:00:00.000Z';

function noticesOf(...facts: readonly Fact[]): readonly Notice[] {
  let memory: NoticeMemory = noMemory;
  return facts.flatMap((fact, index) => {
    const next = noticeOf(memory, { ...fact, seq: index + 1, at, epoch: 1 });
    ({ memory } = next);
    return next.notices;
  });
}

const summary = ({ triggers, priority }: Notice) => `${triggers.join('+')} ${priority}`;
const ended = (status: string, reason: string) =>
  ({ type: 'loop.ended', data: { status, reason, message: 'why', verified: true, elapsedMs: 1 } }) as Fact;
const paused = (reason: string) => ({ type: 'loop.paused', data: { reason, message: 'why', elapsedMs: 1 } }) as Fact;
const finished = (status: string, made: boolean | null) =>
  ({
    type: 'iteration.finished',
    data: { iteration: 3, attempt: 1, status, progress: { made, evidence: [] }, durationMs: 1, elapsedMs: 1 },
  }) as unknown as Fact;
const gate = (verdict: string) =>
  ({
    type: 'gate.finished',
    data: { iteration: 3, attempt: 1, verdict, checks: [], durationMs: 1 },
  }) as unknown as Fact;
const waits = (cause: string, until: string) =>
  ({ type: 'wait.scheduled', data: { cause, until, message: 'why' } }) as Fact;

test.each<[string, Fact, string[]]>([
  ['a completed task', ended('completed', 'completed'), ['completed high']],
  ['a failure', ended('failed', 'same_error'), ['failed critical']],
  ['a limit', ended('failed', 'max_iterations'), ['limit+failed high']],
  ['a loop without progress', ended('failed', 'no_progress'), ['no_progress+failed high']],
  ['an abort', ended('aborted', 'user_abort'), ['failed normal']],
  ['a pause by a person', paused('user_pause'), ['paused normal']],
  ['a pause that needs a person', paused('environment'), ['attention+paused critical']],
  ['a pause at a limit', paused('max_cost'), ['limit+attention+paused high']],
  [
    'a question to a person',
    { type: 'question.asked', data: { point: 'completion', iteration: 3, why: ['completion'], elapsedMs: 1 } },
    ['attention critical'],
  ],
  ['a resume', { type: 'loop.resumed', data: {} }, ['resumed low']],
  ['a crash', { type: 'loop.recovered', data: { problems: [] } }, ['recovered high']],
  ['a long wait for a reset', waits('limit', '2026-11-18T12:00:00.000Z'), ['attention high']],
  ['a short wait', waits('limit', '2026-11-18T10:00:30.000Z'), []],
  ['a wait for the schedule', waits('schedule', '2026-11-19T10:00:00.000Z'), []],
  ['a finished iteration', finished('completed', true), ['iteration low']],
  ['a failed iteration', finished('failed', true), ['error+iteration normal']],
  ['a new session', { type: 'reboot.finished', data: { cause: 'redline', ok: true } }, ['reboot low']],
  [
    'another mode',
    { type: 'mode.changed', data: { from: 'unattended', to: 'attended', cause: 'command' } },
    ['mode_switch low'],
  ],
  ['an uninteresting fact', { type: 'reboot.started', data: { cause: 'redline' } }, []],
])('B073: %s has its triggers and priority', (_case, fact, expected) => {
  expect(noticesOf(fact).map(summary)).toEqual(expected);
});

test('B073: the checks are reported when their result changes, not each time they run', () => {
  const facts = [gate('failed'), gate('failed'), gate('unverifiable'), gate('passed'), gate('passed'), gate('failed')];
  expect(noticesOf(...facts).map(summary)).toEqual([
    'tests_failing normal',
    'tests_passing normal',
    'tests_failing normal',
  ]);
});

test('B073: each quarter of the tests that failed at first is a milestone, once', () => {
  const counted = (type: string, failed: number) =>
    ({
      type,
      data: {
        iteration: 3,
        attempt: 1,
        verdict: failed === 0 ? 'passed' : 'failed',
        checks: [],
        tests: { passed: 1, failed },
      },
    }) as unknown as Fact;
  const facts = [
    counted('baseline.finished', 8),
    ...[9, 7, 5, 7, 5, 1, 0, 3, 0].map((each) => counted('gate.finished', each)),
  ];
  expect(
    noticesOf(...facts)
      .filter(({ triggers }) => triggers[0] === 'milestone')
      .map(({ text, priority }) => `${priority}: ${text}`),
  ).toEqual([
    'normal: A quarter of the 8 tests that failed at first pass now.',
    'normal: Three quarters of the 8 tests that failed at first pass now.',
    'normal: All of the 8 tests that failed at first pass now.',
  ]);
  const green = [0, 0, 2, 0].map((each) => counted('gate.finished', each));
  expect(noticesOf(...green).filter(({ triggers }) => triggers[0] === 'milestone')).toEqual([]);
});

test('B073: the second iteration in a row without progress is reported once', () => {
  const facts = [false, false, false, true, false, false].map((made) => finished('completed', made));
  expect(noticesOf(...facts).filter(({ triggers }) => triggers[0] === 'no_progress')).toHaveLength(2);
});

test('a text from outside becomes one line of bounded length', () => {
  const [notice] = noticesOf({
    ...paused('environment'),
    data: { reason: 'environment', message: 'a\n\tb'.repeat(1_000) },
  } as Fact);
  expect(notice?.text.startsWith('The loop is paused: a ba ba b')).toBe(true);
  expect(notice?.text.length).toBeLessThanOrEqual(600);
});

test('only an end or a pause may be the last thing that a process reports', () => {
  expect(mayBeLast({ ...paused('user_pause'), seq: 1, at, epoch: 1 })).toBe(true);
  expect(mayBeLast({ ...gate('passed'), seq: 1, at, epoch: 1 })).toBe(false);
});
