import { expect, test } from 'vitest';
import type { AgentEvent } from '../../agents/index.ts';
import { type AgentProgress, maxActivities } from '../../protocol/index.ts';
import { createProgressTracker } from './agent-progress.ts';

const at = '2026-11-01T12:00:00.000Z';

function track() {
  const reports: AgentProgress[] = [];
  const tracker = createProgressTracker({
    report: (progress) => void reports.push(progress),
    now: () => at,
    redact: (text) => text.replaceAll('hunter2', '[redacted]'),
  });
  const take = (...events: readonly AgentEvent[]) => tracker.take(events, () => ({ outputTokens: 5, costUsd: 0.1 }));
  const latest = () => reports.at(-1);
  const texts = () => latest()?.recent.map(({ kind, text, isOpen }) => `${kind}${isOpen ? '…' : ''} ${text}`);
  return { tracker, take, latest, texts, reports };
}

const word = (text: string, message = 'm1'): AgentEvent => ({ type: 'text', message, text, append: true });
const tool = (id: string, detail?: string): AgentEvent => ({
  type: 'tool_use',
  id,
  name: 'Bash',
  ...(detail === undefined ? {} : { detail }),
});

test('the process, the model and what was used are reported as soon as they are known', () => {
  const { tracker, take, latest } = track();
  tracker.started({ pid: 7 });
  expect(latest()).toEqual({ pid: 7, recent: [] });
  take({ type: 'model', model: 'opus' });
  expect(latest()).toEqual({ pid: 7, model: 'opus', usage: { outputTokens: 5, costUsd: 0.1 }, recent: [] });
});

test('a message grows in one activity until something else happens', () => {
  const { take, texts } = track();
  take(word('I will '), word('run the te'));
  expect(texts()).toEqual(['text… I will run the']);
  take(word('sts.'));
  take(tool('t1', 'npm test'));
  expect(texts()).toEqual(['text I will run the tests.', 'tool Bash npm test']);
  take(word('Done.', 'm2'), { type: 'result', outcome: 'completed' });
  expect(texts()).toEqual(['text I will run the tests.', 'tool Bash npm test', 'text Done.']);
});

test('a tool call that is reported again counts once', () => {
  const { take, texts } = track();
  take(tool('t1', 'ls'), tool('t1', 'ls'));
  take(tool('t1', 'ls'));
  expect(texts()).toEqual(['tool Bash ls']);
});

test('what a tool is used on may be known only later, and belongs to the same call', () => {
  const { take, texts } = track();
  take(tool('t1'));
  expect(texts()).toEqual(['tool… Bash']);
  take(tool('t1', 'ls'), tool('t2'));
  take(word('Fine. '));
  take(tool('t2', 'late'));
  expect(texts()).toEqual(['tool Bash ls', 'tool Bash', 'text… Fine.']);
});

test('a retry notice shows why, how often and how long it waits', () => {
  const { take, texts } = track();
  take({ type: 'retry', attempt: 2, delayMs: 1500, why: 'overloaded (529)' }, { type: 'retry', why: 'unknown' });
  expect(texts()).toEqual(['retry overloaded (529), retry 2 in 1.5s', 'retry unknown']);
});

test('every activity is in some report, and no report holds more than its bound', () => {
  const { take, reports } = track();
  take(...Array.from({ length: 95 }, (_, index) => tool(`t${index}`)));
  const numbers = new Set(reports.flatMap(({ recent }) => recent.map(({ number }) => number)));
  expect(numbers.size).toBe(95);
  expect(Math.max(...reports.map(({ recent }) => recent.length))).toBe(maxActivities);
});

test('a secret is taken out, also where it is cut or comes in two pieces', () => {
  const { take, tracker, reports } = track();
  take(word('the password is hun'));
  take(word('ter2 and'));
  take(tool('t1', `login hunter2 ${'x'.repeat(489)}`));
  tracker.takeOutput(`first\nhunter2 ${'y'.repeat(495)}\n\n`);
  expect(JSON.stringify(reports)).not.toMatch(/hun|ter2/);
});

test('of an agent that prints no events the last line is shown, when it is another one', () => {
  const { tracker, texts, reports } = track();
  for (const output of ['', 'one\ntwo\n\n', 'one\ntwo\n', 'two\nthree']) tracker.takeOutput(output);
  expect(texts()).toEqual(['text two', 'text three']);
  expect(reports).toHaveLength(2);
});
