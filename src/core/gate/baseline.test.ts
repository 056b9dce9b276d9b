import { expect, test } from 'vitest';
import type { Check, Fact, Verdict } from '../../protocol/index.ts';
import { explain } from '../explain/explain.ts';
import { exitCodeOf } from '../loop/exit-code.ts';
import { startedStory } from '../testing/story.ts';

const checked = (verdict: Verdict, more: Partial<Check> = {}): Check => ({
  command: 'npm run check',
  verdict,
  durationMs: 1,
  output: '',
  ...more,
});

function baseline(...checks: readonly Check[]): Fact {
  const refused = checks.find(({ verdict }) => verdict !== 'passed');
  const data = { verdict: refused?.verdict ?? 'passed', checks: [...checks], elapsedMs: 0 };
  return { type: 'baseline.finished', data };
}

const withBaseline = { config: { baseline: true } };
const nested = { code: 'CLEAN_NESTED_REPOSITORY', message: 'lib is a repository of its own', fix: 'Move it out.' };

test.each<Verdict>(['unverifiable', 'not_found', 'not_executable', 'timed_out'])(
  'R6: a check that is %s before the first iteration pauses the loop, at once and after a crash',
  (verdict) => {
    const story = startedStory(withBaseline).tell(baseline(checked('passed'), checked(verdict)));
    story.takeOver();
    expect(story.advance()).toEqual({ type: 'rest' });
    expect(story.loop).toMatchObject({
      status: 'paused',
      outcome: { reason: 'configuration' },
      position: { iteration: 0 },
    });
    expect(exitCodeOf(story.loop)).toBe(78);
    expect(story.loop.outcome.message).toMatch(/^The check "npm run check" .* set "allowBrokenBaseline"\.$/);
    const { situation, next, evidence } = explain(story.loop, { nowMs: 0 });
    expect(situation).toEqual({ kind: 'checks_broken' });
    expect(evidence).toContainEqual({ kind: 'check', command: 'npm run check', verdict, iteration: 0 });
    expect(next).toMatchObject([
      { step: 'resume', because: 'checks_broken' },
      { step: 'resume', accept: 'broken_baseline' },
      { step: 'abort' },
    ]);
  },
);

test.each<Verdict>(['passed', 'failed', 'contradicted'])('a baseline that is %s starts the loop', (verdict) => {
  const story = startedStory(withBaseline).tell(baseline(checked(verdict)));
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 1 });
});

test('a broken check is accepted when the user allows it, so that the task can be to write or fix it', () => {
  const story = startedStory({ config: { baseline: true, allowBrokenBaseline: true } });
  story.tell(baseline(checked('not_found', { exitCode: 127 })));
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 1 });
});

test('a resume retries the baseline before the first iteration, and continues once the checks can run', () => {
  const story = startedStory(withBaseline).tell(baseline(checked('not_found', { exitCode: 127 })));
  story.advance();
  story.command({ command: 'resume' });
  expect(story.advance()).toEqual({ type: 'baseline' });
  story.tell(baseline(checked('not_found', { exitCode: 127 })));
  expect(story.advance()).toEqual({ type: 'rest' });
  story.command({ command: 'resume' });
  expect(story.advance()).toEqual({ type: 'baseline' });
  story.tell(baseline(checked('failed')));
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 1 });
});

test('the message of a broken baseline contains the exit code and the last line of the output', () => {
  const output = 'first\nsh: 1: npmm: not found\n';
  const story = startedStory(withBaseline).tell(baseline(checked('not_found', { exitCode: 127, output })));
  story.advance();
  expect(story.loop.outcome.message).toBe(
    'The check "npm run check" was not found (exit 127): sh: 1: npmm: not found. Fix it and resume; if the task is to write or repair this check, set "allowBrokenBaseline".',
  );
});

test('R6: an obstacle at the baseline pauses the loop with its fix, whatever the verdict', () => {
  const story = startedStory(withBaseline);
  const data = { verdict: 'unverifiable' as const, checks: [], obstacle: nested, elapsedMs: 0 };
  story.tell({ type: 'baseline.finished', data });
  expect(story.advance()).toEqual({ type: 'rest' });
  expect(story.loop.outcome.message).toBe('The checks cannot be run: lib is a repository of its own. Move it out.');
});

test('R6: the same obstacle in two gates in a row pauses the loop with the fix, also after a crash', () => {
  const story = startedStory({ config: { maxIterations: 2 } });
  story.run({ claimed: true }).gate({ verdict: 'unverifiable', obstacle: nested }).advance();
  expect(story.loop.status).toBe('running');
  story.run({ claimed: true }).gate({ verdict: 'unverifiable', obstacle: nested });
  story.takeOver();
  expect(story.advance()).toEqual({ type: 'rest' });
  expect(story.loop).toMatchObject({ status: 'paused', outcome: { reason: 'environment' }, position: { finished: 2 } });
  expect(story.loop.outcome.message).toBe(
    'Twice in a row, the checks could not be run: lib is a repository of its own. Move it out.',
  );
  const { situation, next } = explain(story.loop, { nowMs: 0 });
  expect(situation).toEqual({ kind: 'checks_blocked', message: 'lib is a repository of its own' });
  expect(next[0]).toMatchObject({ step: 'resume', fix: 'Move it out.' });
});

test('a different obstacle, or a gate that ran in between, does not count as a repeat', () => {
  const other = { ...nested, code: 'CLEAN_NO_REPOSITORY' };
  const story = startedStory();
  for (const gate of [
    { verdict: 'unverifiable', obstacle: nested },
    { verdict: 'unverifiable', obstacle: other },
    { verdict: 'failed' },
    { verdict: 'unverifiable', obstacle: other },
  ] as const) {
    story.run({ claimed: true }).gate(gate).advance();
    expect(story.loop.status).toBe('running');
  }
});

test('a loop that stopped at an obstacle advises the fix, not more iterations', () => {
  const story = startedStory({ config: { maxIterations: 1 } });
  story.run({ claimed: true }).gate({ verdict: 'unverifiable', obstacle: nested }).advance();
  expect(story.loop).toMatchObject({ status: 'failed', outcome: { reason: 'max_iterations' } });
  const { next, because } = explain(story.loop, { nowMs: 0 });
  expect(because).toContainEqual({ kind: 'obstacle', message: 'lib is a repository of its own' });
  expect(next[0]).toEqual({ step: 'start', raise: [], fix: 'Move it out.', continues: true });
});

test('the level of proof comes from the gate, or else from the settings; a trusted claim has none', () => {
  const proofOf = (config: object, proof?: 'tree' | 'clean' | 'sealed') => {
    const story = startedStory({ config });
    story.run({ claimed: true }).gate({ verdict: 'passed', ...(proof === undefined ? {} : { proof }) });
    story.takeOver().advance();
    return story.loop.outcome.proof;
  };
  expect(proofOf({})).toBe('tree');
  expect(proofOf({ verifyIn: 'clean' })).toBe('clean');
  expect(proofOf({ protect: 'strict' })).toBe('clean');
  expect(proofOf({}, 'sealed')).toBe('sealed');
  const trusted = startedStory({ checks: [], config: { trustPromise: true } }).run({ claimed: true });
  trusted.advance();
  expect(trusted.loop).toMatchObject({ status: 'completing', outcome: { verified: false, proof: 'none' } });
  const old = startedStory().run({ claimed: true }).gate({ verdict: 'passed' });
  const finished = {
    status: 'completed' as const,
    progress: { made: true, evidence: [] },
    completes: 'verified' as const,
  };
  old.tell({ type: 'iteration.finished', data: { ...old.attempt, ...finished, durationMs: 1, elapsedMs: 0 } });
  old.tell({ type: 'loop.completing', data: { verified: true } });
  expect(old.loop.outcome.proof).toBe('tree');
});
