import { expect, test } from 'vitest';
import type { Check, Fact, Verdict } from '../../protocol/index.ts';
import { explain } from '../judge/explain.ts';
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
    expect(story.loop).toMatchObject({ status: 'paused', reason: 'configuration', iteration: 0 });
    expect(exitCodeOf(story.loop)).toBe(78);
    expect(story.loop.message).toMatch(/^The check "npm run check" .* "--allow-broken-baseline"\.$/);
    const { headline, next, evidence } = explain(story.loop, { nowMs: 0 });
    expect(headline).toBe('Paused: the checks cannot judge anything as they are.');
    expect(evidence).toContain(`npm run check: ${verdict.replace('_', ' ')} before the first iteration`);
    const commands = next.map(({ command }) => command.replace(story.loop.id, 'ID'));
    expect(commands).toEqual(['ralphd resume ID', 'ralphd resume ID --allow-broken-baseline', 'ralphd abort ID']);
  },
);

test.each<Verdict>(['passed', 'failed', 'contradicted'])('a baseline that is %s starts the loop', (verdict) => {
  const story = startedStory(withBaseline).tell(baseline(checked(verdict)));
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 1 });
});

test('a check that is to be written or repaired may be broken where the user says so', () => {
  const story = startedStory({ config: { baseline: true, allowBrokenBaseline: true } });
  story.tell(baseline(checked('not_found', { exitCode: 127 })));
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 1 });
});

test('a resume tries the checks again before the first iteration, and goes on once they can judge', () => {
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

test('the message of a broken baseline has the exit code and the last line of the output', () => {
  const output = 'first\nsh: 1: npmm: not found\n';
  const story = startedStory(withBaseline).tell(baseline(checked('not_found', { exitCode: 127, output })));
  story.advance();
  expect(story.loop.message).toBe(
    'The check "npm run check" was not found (exit 127): sh: 1: npmm: not found. Fix it and resume; if the task is to write or repair this check, resume with "--allow-broken-baseline".',
  );
});

test('R6: an obstacle at the baseline pauses with its fix, whatever the verdict', () => {
  const story = startedStory(withBaseline);
  const data = { verdict: 'unverifiable' as const, checks: [], obstacle: nested, elapsedMs: 0 };
  story.tell({ type: 'baseline.finished', data });
  expect(story.advance()).toEqual({ type: 'rest' });
  expect(story.loop.message).toBe('The checks cannot be run: lib is a repository of its own. Move it out.');
});

test('R6: the same obstacle in two gates in a row pauses the loop with the fix, also after a crash', () => {
  const story = startedStory({ config: { maxIterations: 2 } });
  story.run({ claimed: true }).gate({ verdict: 'unverifiable', obstacle: nested }).advance();
  expect(story.loop.status).toBe('running');
  story.run({ claimed: true }).gate({ verdict: 'unverifiable', obstacle: nested });
  story.takeOver();
  expect(story.advance()).toEqual({ type: 'rest' });
  expect(story.loop).toMatchObject({ status: 'paused', reason: 'environment', finished: 2 });
  expect(story.loop.message).toBe(
    'The checks could not be run twice in a row: lib is a repository of its own. Move it out.',
  );
  const { headline, next } = explain(story.loop, { nowMs: 0 });
  expect(headline).toBe('Paused: the checks cannot be run: lib is a repository of its own.');
  expect(next.map(({ does }) => does)).toContain('Move it out.');
});

test('another obstacle, or a gate that ran in between, does not count as the same one twice', () => {
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

test('a loop that ended at an obstacle advises the fix and not more iterations', () => {
  const story = startedStory({ config: { maxIterations: 1 } });
  story.run({ claimed: true }).gate({ verdict: 'unverifiable', obstacle: nested }).advance();
  expect(story.loop).toMatchObject({ status: 'failed', reason: 'max_iterations' });
  const { next, because } = explain(story.loop, { nowMs: 0 });
  expect(because).toContain('the checks cannot be run: lib is a repository of its own');
  expect(next[0]?.does).toMatch(/^Move it out\. Then begin again/);
  expect(next.map(({ command }) => command).join()).not.toContain('--max-iterations');
});

test('how far a proof reaches comes from the gate, else from the settings, and a trusted claim has none', () => {
  const proofOf = (config: object, proof?: 'tree' | 'clean' | 'sealed') => {
    const story = startedStory({ config });
    story.run({ claimed: true }).gate({ verdict: 'passed', ...(proof === undefined ? {} : { proof }) });
    story.takeOver().advance();
    return story.loop.proof;
  };
  expect(proofOf({})).toBe('tree');
  expect(proofOf({ verifyIn: 'clean' })).toBe('clean');
  expect(proofOf({ protect: 'strict' })).toBe('clean');
  expect(proofOf({}, 'sealed')).toBe('sealed');
  const trusted = startedStory({ checks: [], config: { trustPromise: true } }).run({ claimed: true });
  trusted.advance();
  expect(trusted.loop).toMatchObject({ status: 'completing', verified: false, proof: 'none' });
  const old = startedStory().run({ claimed: true }).gate({ verdict: 'passed' });
  const finished = {
    status: 'completed' as const,
    progress: { made: true, evidence: [] },
    completes: 'verified' as const,
  };
  old.tell({ type: 'iteration.finished', data: { ...old.attempt, ...finished, durationMs: 1, elapsedMs: 0 } });
  old.tell({ type: 'loop.completing', data: { verified: true } });
  expect(old.loop.proof).toBe('tree');
});
