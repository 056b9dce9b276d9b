import { expect, test } from 'vitest';
import type { LoopConfigInput } from '../../protocol/index.ts';
import { changed, counts } from '../testing/facts.ts';
import { type Story, startedStory } from '../testing/story.ts';

const attended: LoopConfigInput = { mode: 'attended', maxIterations: 5 };

function start(config: LoopConfigInput = attended): Story {
  return startedStory({ config });
}

/** Runs one iteration that claims nothing. */
function iterate(story: Story, run = {}): Story {
  return story.begin().reachFromHere('executed', { claimed: false, ...run });
}

test('A008: by default nobody is asked; an attended loop asks before its first iteration and waits', () => {
  expect(start({}).advance().type).toBe('begin');
  for (const config of [attended, { attended: true }]) {
    const story = start(config);
    expect(story.advance(2_000)).toEqual({ type: 'ask' });
    expect(story.loop.supervision.question).toMatchObject({ point: 'iteration', iteration: 1, why: ['attended'] });
    expect(story.loop.totals.runningMs).toBe(2_000);
    expect(story.pass(10 * 86_400_000).advance()).toEqual({ type: 'ask' });
  }
});

test('B057: continue starts the iteration that was asked about, and the next one is asked about again', () => {
  const story = start();
  story.advance();
  story.command({ command: 'continue' });
  iterate(story);
  expect(story.advance()).toEqual({ type: 'ask' });
  expect(story.loop.supervision.question).toMatchObject({ iteration: 2 });
});

test('B057: an approved iteration that a provider limit interrupts is tried again without another question', () => {
  const story = start();
  story.advance();
  story.command({ command: 'continue' }).run({ outcome: 'rate_limited', error: 'later' });
  expect(story.advance()).toMatchObject({ type: 'wait', cause: 'limit' });
  story.pass(3_600_000);
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 1, attempt: 2 });
});

test('B057: skip counts the iteration without running it, and keeps guidance for the next one', () => {
  const story = start();
  story.command({ command: 'guide', text: 'mind the gap', once: true });
  story.advance();
  story.command({ command: 'skip' }).begin();
  expect(story.advance()).toEqual({ type: 'ask' });
  expect(story.loop.position.finished).toBe(1);
  expect(story.loop.totals.stats).toMatchObject({ skippedIterations: 1, iterations: 1 });
  expect(story.loop.commands.guidance).toHaveLength(1);
});

test('B057: an edited prompt is recorded and replaces the task in one iteration only', () => {
  const story = start();
  story.advance();
  story.command({ command: 'continue', text: 'Only look at the parser' }).begin();
  expect(story.facts.find(({ type }) => type === 'question.answered')?.data).toMatchObject({
    decision: 'continue',
    by: 'person',
    prompt: 'Only look at the parser',
  });
  expect(story.loop.supervision.prompt).toBe('Only look at the parser');
  story.reachFromHere('executed', { claimed: false }).advance();
  expect(story.loop.supervision.prompt).toBeUndefined();
});

test.each([
  ['continue', { command: 'continue' }, 'the loop is not waiting for a decision'],
  ['skip', { command: 'skip' }, 'no iteration is under way'],
] as const)('B057: %s is refused when nothing is asked', (_name, order, why) => {
  const story = start({}).command(order);
  expect(story.facts.at(-1)).toMatchObject({ type: 'command.refused', data: { why } });
});

test('B057: an empty prompt, and a second decision, are refused', () => {
  const story = start();
  story.advance();
  story.command({ command: 'continue', text: ' ' });
  expect(story.facts.at(-1)).toMatchObject({ data: { why: 'the prompt is empty' } });
  story.command({ command: 'continue' }).command({ command: 'skip' });
  expect(story.facts.at(-1)).toMatchObject({ data: { why: 'somebody has already decided' } });
});

test('B057: a pause and a stop are decisions too, and a resumed loop asks again', () => {
  const story = start();
  story.advance();
  story.command({ command: 'pause' });
  expect(story.advance()).toEqual({ type: 'rest' });
  story.command({ command: 'resume' });
  expect(story.advance()).toEqual({ type: 'ask' });
  story.command({ command: 'stop' });
  expect(story.advance()).toEqual({ type: 'none' });
  expect(story.loop.status).toBe('aborted');
});

test('B057: a reboot and guidance leave the question open, and take effect after it', () => {
  const story = start();
  story.advance();
  story.command({ command: 'reboot' }).command({ command: 'guide', text: 'smaller steps' });
  expect(story.advance()).toEqual({ type: 'ask' });
  story.command({ command: 'continue' });
  expect(story.advance()).toEqual({ type: 'reboot', cause: 'manual' });
});

test('B056: a loop continues by itself when nobody decides in time, if that is configured', () => {
  const story = start({ ...attended, ask: { autoApproveAfter: '5m' } });
  expect(story.advance()).toEqual({ type: 'ask', until: '2026-11-01T12:05:00.000Z' });
  expect(story.pass(299_999).advance()).toMatchObject({ type: 'ask' });
  expect(story.pass(1).advance()).toMatchObject({ type: 'begin', iteration: 1 });
  expect(story.facts.at(-1)).toMatchObject({
    type: 'question.answered',
    data: { by: 'timeout', decision: 'continue' },
  });
});

test('B057: an owner that dies while it asks leaves the question; the next one asks anew, with the whole time', () => {
  const story = start({ ...attended, ask: { autoApproveAfter: '5m' } });
  story.advance();
  story.pass(3_600_000).takeOver();
  expect(story.advance()).toEqual({ type: 'ask', until: '2026-11-01T13:05:00.000Z' });
});

test('B057: a decision that was sent while nobody drove the loop counts', () => {
  const story = start();
  story.advance();
  story.command({ command: 'continue' }).takeOver();
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 1 });
});

/** A loop whose first iteration is proven, before anybody looks at the result. */
function proven(config: LoopConfigInput): Story {
  const story = start(config);
  if (story.advance().type === 'ask') story.command({ command: 'continue' });
  return story.run({ claimed: true }).gate({ verdict: 'passed' });
}

test('B066: a proven result completes an attended loop only when somebody accepts it', () => {
  const story = proven(attended);
  expect(story.advance()).toEqual({ type: 'ask' });
  expect(story.loop.supervision.question).toMatchObject({ point: 'completion', iteration: 1, why: ['completion'] });
  story.command({ command: 'continue' });
  expect(story.advance()).toEqual({ type: 'finalize' });
  expect(story.loop.outcome.verified).toBe(true);
});

test('B066: a result that is not accepted is not completion, and the loop goes on', () => {
  const story = proven({ ...attended, ask: { before: 'completion' } });
  expect(story.advance()).toEqual({ type: 'ask' });
  story.command({ command: 'skip' });
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 2 });
});

test('B066: at the question about completion a pause keeps what was proven, and a stop ends the loop', () => {
  const story = proven(attended);
  story.advance();
  story.command({ command: 'pause' });
  expect(story.advance()).toEqual({ type: 'rest' });
  story.command({ command: 'resume' });
  expect(story.advance()).toEqual({ type: 'ask' });
  story.command({ command: 'stop' });
  expect(story.advance()).toEqual({ type: 'none' });
});

test('B056: breakpoints ask in every mode: before an iteration, after a test regression, before completion', () => {
  const story = start({ ask: { breakpoints: [2, 'test_regression', 'completion'] } });
  iterate(story);
  expect(story.advance()).toEqual({ type: 'ask' });
  expect(story.loop.supervision.question?.why).toEqual(['breakpoint']);
  story.command({ command: 'continue' });
  story.run({ claimed: true }).gate({ verdict: 'failed', tests: counts(2) });
  expect(story.advance().type).toBe('begin');
  story.run({ claimed: true }).gate({ verdict: 'failed', tests: counts(3) });
  expect(story.advance()).toEqual({ type: 'ask' });
  expect(story.loop.supervision.question?.why).toEqual(['test_regression']);
  story.command({ command: 'continue' });
  story.run({ claimed: true }).gate({ verdict: 'passed', tests: counts(0) });
  expect(story.advance()).toEqual({ type: 'ask' });
  expect(story.loop.supervision.question).toMatchObject({ point: 'completion', why: ['breakpoint'] });
});

test('B066: a hybrid loop asks every so many iterations or files, and continues by itself after a minute', () => {
  const story = start({ mode: 'hybrid', ask: { everyIterations: 2, everyFiles: 10 } });
  iterate(story);
  expect(story.advance().type).toBe('begin');
  iterate(story);
  expect(story.advance()).toEqual({ type: 'ask', until: '2026-11-01T12:01:00.000Z' });
  expect(story.loop.supervision.question?.why).toEqual(['interval']);
  expect(story.pass(60_000).advance().type).toBe('begin');
  iterate(story, { changes: changed(10) });
  story.advance();
  expect(story.loop.supervision.question?.why).toEqual(['files_changed']);
});

test('B066: a test regression switches a hybrid loop to attended mode, unless that is disabled', () => {
  const regressed = (ask: LoopConfigInput['ask']) => {
    const story = start({ mode: 'hybrid', ask: { everyFiles: 100, ...ask } });
    story.run({ claimed: true }).gate({ verdict: 'failed', tests: counts(1) });
    story.run({ claimed: true }).gate({ verdict: 'failed', tests: counts(2) });
    return story;
  };
  const story = regressed({});
  expect(story.advance()).toEqual({ type: 'ask' });
  expect(story.facts.find(({ type }) => type === 'mode.changed')?.data).toMatchObject({
    to: 'attended',
    cause: 'trigger',
    why: ['test_regression'],
  });
  expect(regressed({ onTestRegression: false }).advance().type).toBe('begin');
});

test('B058: a breakpoint can be set and removed while the loop runs', () => {
  const story = start({}).reach('begun');
  story.command({ command: 'breakpoint', breakpoint: 3 }).command({ command: 'breakpoint', breakpoint: 'completion' });
  story.reachFromHere('executed', { claimed: false });
  iterate(story);
  expect(story.advance()).toEqual({ type: 'ask' });
  expect(story.loop.supervision.question?.why).toEqual(['breakpoint']);
  story.command({ command: 'breakpoint', breakpoint: 'completion', remove: true }).command({ command: 'continue' });
  story.run({ claimed: true }).gate({ verdict: 'passed' });
  expect(story.advance()).toEqual({ type: 'finalize' });
});

test.each([
  [{ command: 'breakpoint', breakpoint: 1 }, 'iteration 1 has already started'],
  [{ command: 'breakpoint', breakpoint: 7 }, 'it already has the breakpoint 7'],
  [{ command: 'breakpoint', breakpoint: 5, remove: true }, 'it has no breakpoint 5'],
  [{ command: 'note', kind: 'issue', text: ' ' }, 'the note is empty'],
  [{ command: 'rollback' }, 'the loop is not waiting for a decision'],
] as const)('B058: %o is refused: %s', (order, why) => {
  const story = start({ ask: { breakpoints: [7] } })
    .reach('begun')
    .command(order);
  expect(story.facts.at(-1)).toMatchObject({ type: 'command.refused', data: { why } });
});

test('B058: notes are kept with their kind, author and iteration, and change nothing else', () => {
  const story = start({});
  iterate(story);
  story.advance();
  const sender = { user: 'ana', host: 'build', pid: 7, face: 'cli' } as const;
  story.command({ command: 'note', kind: 'decision', text: 'Keep the old parser', sender });
  const at = '2026-11-01T12:00:00.000Z';
  const note = { kind: 'decision', text: 'Keep the old parser', iteration: 1, at, sender };
  expect(story.loop.supervision.notes).toEqual([note]);
  expect(story.advance().type).toBe('begin');
});

test('B058: a rollback happens before the question is asked again, and can be done once', () => {
  const story = start();
  story.advance();
  story.command({ command: 'continue' });
  const trees = { before: 'a', after: 'b' };
  iterate(story, { changes: { ...changed(1), trees } });
  story.advance();
  story.command({ command: 'rollback' });
  expect(story.takeOver().advance()).toEqual({ type: 'rollback', work: { iteration: 1, trees } });
  story.tell({
    type: 'rollback.finished',
    data: { iteration: 1, ok: true, files: ['a'], count: 1, backup: 'refs/x', elapsedMs: 5 },
  });
  expect(story.advance()).toEqual({ type: 'ask' });
  story.command({ command: 'rollback' });
  expect(story.facts.at(-1)).toMatchObject({ type: 'command.refused' });
});

test('B058: a rollback covers every attempt of the iteration, and is dropped by a pause', () => {
  const story = start();
  story.advance();
  story.command({ command: 'continue' });
  story.run({ outcome: 'rate_limited', changes: { ...changed(1), trees: { before: 'a', after: 'b' } } }).advance();
  story.pass(3_600_000).run({ claimed: false, changes: { ...changed(1), trees: { before: 'b', after: 'c' } } });
  story.advance();
  expect(story.loop.supervision.work).toEqual({ iteration: 1, trees: { before: 'a', after: 'c' } });
  story.command({ command: 'rollback' }).command({ command: 'pause' });
  expect(story.advance()).toEqual({ type: 'rest' });
  story.command({ command: 'resume' });
  expect(story.advance()).toEqual({ type: 'ask' });
});

test.each<[string, LoopConfigInput['ask'], object, string]>([
  ['failed iterations', { onFailures: 1 }, { ending: { kind: 'exited', code: 1 }, outcome: 'refused' }, 'failures'],
  ['marks in the output', {}, { marks: ['CRITICAL'] }, 'pattern'],
])('B066: %s switch a hybrid loop to attended mode', (_what, ask, run, why) => {
  const story = start({ mode: 'hybrid', ask: { everyFiles: 100, ...ask } });
  iterate(story, run);
  expect(story.advance()).toEqual({ type: 'ask' });
  expect(story.facts.find(({ type }) => type === 'mode.changed')?.data).toEqual({
    from: 'hybrid',
    to: 'attended',
    cause: 'trigger',
    why: [why],
  });
  story.command({ command: 'mode', mode: 'hybrid' });
  expect(story.advance()).toMatchObject({ type: 'begin' });
});

test('B065: a switch now takes effect at once, and closes a question that is no longer needed', () => {
  const story = start();
  story.advance();
  story.command({ command: 'mode', mode: 'unattended' });
  expect(story.loop.supervision.question).toBeUndefined();
  iterate(story);
  story.command({ command: 'mode', mode: 'attended' });
  expect(story.loop.supervision.mode).toBe('attended');
  expect(story.advance()).toEqual({ type: 'ask' });
});

test('B065: a switch after the iteration, or at a pause, waits for that and loses no iteration', () => {
  const story = start({}).reach('begun');
  story.command({ command: 'mode', mode: 'attended', when: 'iteration' });
  expect(story.loop.supervision.mode).toBeUndefined();
  story.reachFromHere('executed', { claimed: false });
  expect(story.advance()).toEqual({ type: 'ask' });
  expect(story.loop.position.finished).toBe(1);
  story.command({ command: 'mode', mode: 'unattended', when: 'pause' });
  expect(story.advance()).toEqual({ type: 'ask' });
  story.command({ command: 'pause' });
  expect(story.advance()).toEqual({ type: 'rest' });
  expect(story.loop.supervision.mode).toBe('unattended');
  expect(story.facts.filter(({ type }) => type === 'mode.changed')).toHaveLength(2);
});

test('B065: a switch to the mode that the loop is in is refused', () => {
  const story = start().command({ command: 'mode', mode: 'attended' });
  expect(story.facts.at(-1)).toMatchObject({ data: { why: 'the loop is already attended' } });
});

test('A043: a limit that is reached ends the loop without a question', () => {
  const story = start({ ...attended, maxIterations: 1 });
  story.advance();
  story.command({ command: 'continue' });
  iterate(story);
  expect(story.advance()).toEqual({ type: 'none' });
  expect(story.loop.outcome.reason).toBe('max_iterations');
});

test.each([
  { delay: '3m', action: { type: 'begin', iteration: 2 } },
  { delay: '3h', action: { type: 'wait', cause: 'delay' } },
])('a loop that no longer asks after a wait for its schedule owes only a longer delay: $delay', ({ delay, action }) => {
  const story = start({ iterationDelay: delay, schedule: { hours: '09:00-12:00', timeZone: 'UTC' } });
  story.nowMs = Date.UTC(2026, 0, 1, 9);
  story.begin().reachFromHere('executed', { claimed: false });
  story.command({ command: 'mode', mode: 'attended', when: 'now' });
  story.nowMs = Date.UTC(2026, 0, 2, 8);
  expect(story.advance()).toMatchObject({ type: 'wait', cause: 'schedule' });
  story.nowMs = Date.UTC(2026, 0, 2, 9);
  story.command({ command: 'mode', mode: 'unattended', when: 'now' });
  expect(story.advance()).toMatchObject(action);
});
