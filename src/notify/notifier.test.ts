import { expect, test } from 'vitest';
import { idleLoop, type Message, type NotifyRecords, readRecords, replay, writeRecords } from '../core/index.ts';
import { configOf, loopStarted } from '../core/testing/facts.ts';
import type { ChannelConfigInput, Fact, RecordedFact } from '../protocol/index.ts';
import type { Delivery } from './delivery.ts';
import { createNotifier, type Notifier } from './notifier.ts';

const startMs = Date.parse('2026-06-01T12:00:00Z');

/** A clock that a test moves; whoever waits wakes when his instant has come. */
function createClock(nowMs = startMs) {
  const sleepers = new Set<{ readonly atMs: number; readonly wake: () => void }>();
  const clock = { nowMs };
  return {
    nowMs: () => clock.nowMs,
    waitUntil: async (atMs: number, signal: AbortSignal) =>
      await new Promise<void>((resolve) => {
        const sleeper = { atMs, wake: resolve };
        sleepers.add(sleeper);
        signal.addEventListener('abort', () => resolve());
      }),
    async pass(ms: number) {
      clock.nowMs += ms;
      for (const sleeper of sleepers) if (sleeper.atMs <= clock.nowMs) sleeper.wake();
      await turn();
    },
  };
}

/** Lets everything that can go on without the clock go on. */
async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

const started = loopStarted();
const resumed: Fact = { type: 'loop.resumed', data: {} };
const interrupted = (message: string): Fact => ({
  type: 'iteration.interrupted',
  data: { iteration: 1, attempt: 1, cause: 'environment', message, elapsedMs: 1 },
});
const ended: Fact = {
  type: 'loop.ended',
  data: { status: 'completed', reason: 'completed', message: '', verified: true, elapsedMs: 1 },
};

/** A loop whose notifications a test receives; it can be continued by another process. */
function createWorld(...inputs: readonly ChannelConfigInput[]) {
  const clock = createClock();
  const journal: RecordedFact[] = [];
  const messages: Message[] = [];
  const reports: string[] = [];
  const kept: { files?: ReturnType<typeof writeRecords> } = {};
  const answers: { next: (message: Message, signal: AbortSignal) => Promise<Delivery> } = {
    next: async () => ({ ok: true }),
  };
  const loop = () => (journal.length === 0 ? undefined : replay(journal, idleLoop(configOf())));
  const records = (): NotifyRecords | undefined => readRecords(kept.files?.state, kept.files?.history);
  const process = (channels = inputs): Notifier =>
    createNotifier(
      { channels: configOf({ notify: [...channels] }).notify, records: records(), facts: [...journal], loop: loop() },
      {
        clock,
        timeZone: 'UTC',
        graceMs: 5_000,
        deliver: async (_channel, message, signal) => {
          messages.push(message);
          return await answers.next(message, signal);
        },
        save: (now) => (kept.files = writeRecords(now)),
        redact: (text) => text.replaceAll('hunter2', '[redacted]'),
        report: (message) => reports.push(message),
      },
    );
  const record = async (notifier: Notifier, ...facts: readonly Fact[]) => {
    const at = new Date(clock.nowMs()).toISOString();
    const recorded = facts.map((fact, index) => ({ ...fact, seq: journal.length + index + 1, at, epoch: 1 }));
    journal.push(...recorded);
    const now = loop();
    if (now !== undefined) notifier.observe(recorded, now);
    await turn();
  };
  const results = () => records()?.history.map(({ channel, result }) => `${channel} ${result}`);
  return { clock, messages, reports, kept, answers, records, results, process, record };
}

const hangs = async (_message: Message, signal: AbortSignal) =>
  await new Promise<Delivery>((resolve) => signal.addEventListener('abort', () => resolve({ ok: false, why: 'late' })));

test('what happens is sent after the debounce, without secrets', async () => {
  const { clock, messages, process, record } = createWorld({ type: 'desktop', on: ['error'] });
  await record(process(), started, interrupted('the password is hunter2'));
  expect(messages).toEqual([]);
  await clock.pass(5_000);
  expect(messages).toMatchObject([
    {
      trigger: 'error',
      title: 'ralph-fix-tests-a1b2c3d4: error',
      text: 'Iteration 1 was interrupted: the password is [redacted]',
      task: 'Fix the tests',
      isSilent: false,
    },
  ]);
});

test('B073: a channel gets what its triggers and its priority ask for', async () => {
  const { messages, process, record } = createWorld(
    { type: 'desktop', name: 'plain' },
    { type: 'desktop', name: 'all', minPriority: 'low' },
    { type: 'desktop', name: 'some', on: ['started'] },
    { type: 'desktop', name: 'none', on: ['started'], minPriority: 'high' },
  );
  await record(process(), started, ended);
  expect(messages.map(({ triggers }) => triggers)).toEqual([['completed'], ['completed', 'started'], ['started']]);
});

test('the end of a loop is reported at once, silently in quiet hours', async () => {
  const { messages, process, record } = createWorld({ type: 'desktop', quietHours: '11:00-13:00' });
  const notifier = process();
  await record(notifier, started, interrupted('no network'));
  await record(notifier, ended);
  expect(messages).toMatchObject([{ triggers: ['completed', 'error'], isSilent: true }]);
});

test('while a delivery is under way, more is combined, and the loop does not wait', async () => {
  const { clock, messages, answers, process, record } = createWorld({
    type: 'desktop',
    on: ['error'],
    minInterval: '0',
  });
  const notifier = process();
  const first = Promise.withResolvers<Delivery>();
  answers.next = async () => await first.promise;
  await record(notifier, started, interrupted('1'));
  await clock.pass(5_000);
  for (let number = 2; number <= 500; number += 1) await record(notifier, interrupted(`${number}`));
  expect(messages).toHaveLength(1);
  answers.next = async () => ({ ok: true });
  first.resolve({ ok: true });
  await clock.pass(5_000);
  expect(messages[1]?.text).toBe('Iteration 1 was interrupted: 500 (and 498 earlier)');
});

test('a delivery that hangs is dropped and named after the grace period, and not sent again', async () => {
  const { clock, messages, reports, results, answers, process, record } = createWorld({ type: 'desktop' });
  const notifier = process();
  answers.next = hangs;
  await record(notifier, started, ended);
  const settled = notifier.settle();
  await clock.pass(5_000);
  await settled;
  expect(results()).toEqual(['desktop dropped']);
  expect(reports).toEqual([
    'A notification to "desktop" was not delivered: it took too long and was dropped at the end of the run. The loop is not affected.',
  ]);
  process();
  await clock.pass(60_000);
  expect(messages).toHaveLength(1);
});

test('a run without deliveries under way does not wait for the grace period', async () => {
  const { process, record } = createWorld({ type: 'desktop' });
  const notifier = process();
  await record(notifier, started, ended);
  await expect(notifier.settle()).resolves.toBeUndefined();
});

test('a channel that fails is named at most once an hour, and its problem is kept until it works', async () => {
  const { clock, reports, answers, records, process, record } = createWorld({ type: 'desktop', on: ['error'] });
  const notifier = process();
  answers.next = async () => ({ ok: false, why: 'it answered with HTTP 500' });
  await record(notifier, started);
  for (let minute = 0; minute < 70; minute += 10) {
    await record(notifier, interrupted('no network'));
    await clock.pass(600_000);
  }
  expect(reports).toEqual(
    Array(2).fill(
      'A notification to "desktop" was not delivered: it answered with HTTP 500. The loop is not affected.',
    ),
  );
  expect(records()?.channels['desktop']?.problem?.why).toBe('it answered with HTTP 500');
  answers.next = async () => ({ ok: true });
  await record(notifier, interrupted('no network'));
  await clock.pass(60_000);
  expect(records()?.channels['desktop']?.problem).toBeUndefined();
});

test('the next process sends what waited, and nothing that was sent before or after it', async () => {
  const { clock, messages, records, process, record } = createWorld({ type: 'desktop', minPriority: 'low' });
  const first = process();
  await record(first, started, interrupted('sent'));
  await clock.pass(5_000);
  await record(first, interrupted('waits for its interval'), resumed);
  await clock.pass(5_000);
  expect(messages.map(({ triggers }) => triggers)).toEqual([['error', 'started'], ['resumed']]);
  expect(records()?.channels['desktop']?.cursor).toEqual({ seq: 2, beyond: [4] });
  await first.settle();

  process();
  await clock.pass(120_000);
  expect(messages.slice(2)).toMatchObject([
    { triggers: ['error'], text: 'Iteration 1 was interrupted: waits for its interval' },
  ]);
});

test('a channel that is new in an existing loop reports only what happens from now on', async () => {
  const { clock, messages, process, record } = createWorld({ type: 'desktop', on: ['error'] });
  await record(process(), started, interrupted('old'));
  await clock.pass(5_000);
  process([{ type: 'log', path: 'x', on: ['error'] }]);
  await clock.pass(60_000);
  expect(messages).toHaveLength(1);
});

test('damaged records count as none: nothing old is sent', async () => {
  const { clock, messages, kept, process, record } = createWorld({ type: 'desktop', on: ['error'] });
  await record(process(), started, interrupted('old'));
  kept.files = { state: '{"channels":', history: 'x\n' };
  process();
  await clock.pass(60_000);
  expect(messages).toEqual([expect.objectContaining({ text: 'Iteration 1 was interrupted: old' })]);
});

test('B074: the history keeps the newest 100', async () => {
  const { clock, records, process, record } = createWorld({ type: 'desktop', on: ['error'], maxPerHour: 1000 });
  const notifier = process();
  await record(notifier, started);
  for (let number = 1; number <= 105; number += 1) {
    await record(notifier, interrupted(`${number}`));
    await clock.pass(60_000);
  }
  expect(records()?.history).toHaveLength(100);
  expect(records()?.history.at(-1)?.text).toBe('Iteration 1 was interrupted: 105');
});

test('B075: the limits of a channel hold across a restart of its process', async () => {
  const { clock, messages, process, record } = createWorld({
    type: 'desktop',
    on: ['error', 'resumed'],
    debounce: '0',
    minInterval: '10m',
    maxPerHour: 2,
  });
  const first = process();
  await record(first, started, interrupted('1'));
  await first.settle();
  const second = process();
  await record(second, interrupted('2'));
  await clock.pass(60_000);
  expect(messages.map(({ text }) => text)).toEqual(['Iteration 1 was interrupted: 1']);
  await record(second, resumed);
  await clock.pass(0);
  expect(messages).toHaveLength(2);
  await second.settle();
  const third = process();
  await record(third, interrupted('3'));
  await clock.pass(20 * 60_000);
  expect(messages).toHaveLength(2);
  await clock.pass(60 * 60_000);
  expect(messages[2]?.text).toBe('Iteration 1 was interrupted: 3 (and 1 earlier)');
});
