import { expect, test } from 'vitest';
import { changed } from '../testing/facts.ts';
import { startedStory } from '../testing/story.ts';
import { evaluationsOf } from './evaluations.ts';

const still = { changes: changed(0) };

test('B041 B043: what moved up or down by more than a thousandth is listed, and what did not move is not', () => {
  const stopConditions = { stop: [{ type: 'max_iterations' as const, count: 4 }], maxNoProgressIterations: 4 };
  const story = startedStory({ config: { maxIterations: 5_000, stopConditions } });
  story.run(still).advance();
  story.run(still).advance();
  story.run().advance();
  const moves = evaluationsOf(story.facts).map(({ moved }) => moved);
  const step = { name: 'stop.0', delta: 0.25 };
  expect(moves).toEqual([
    [
      { name: 'no_progress', near: 0.25, delta: 0.25 },
      { ...step, near: 0.25 },
    ].toReversed(),
    [
      { name: 'no_progress', near: 0.5, delta: 0.25 },
      { ...step, near: 0.5 },
    ].toReversed(),
    [
      { name: 'no_progress', near: 0, delta: -0.5 },
      { ...step, near: 0.75 },
    ].toReversed(),
  ]);
});

test('B041: the verdict is success or failure, with what decided', () => {
  const stop = [{ type: 'max_iterations' as const, count: 2 }];
  const failed = startedStory({ config: { stopConditions: { stop } } }).run();
  failed.advance();
  failed.run().advance();
  expect(evaluationsOf(failed.facts)).toMatchObject([
    { iteration: 1, verdict: 'continue', by: [] },
    { iteration: 2, verdict: 'failure', by: ['stop.0'] },
  ]);
  const plain = startedStory({ config: { maxIterations: 1 } }).run();
  plain.advance();
  expect(evaluationsOf(plain.facts)).toMatchObject([{ verdict: 'failure', by: ['max_iterations'] }]);
  const done = startedStory().run({ claimed: true }).gate({ verdict: 'passed' });
  done.advance();
  expect(evaluationsOf(done.facts)).toMatchObject([{ iteration: 1, verdict: 'success' }]);
});

test('B041: what becomes unknown, or known again, has moved', () => {
  const stop = [{ type: 'custom_script' as const, run: './look.sh' }];
  const story = startedStory({ config: { stopConditions: { stop } } });
  for (const met of [false, null, null, false]) {
    story.run();
    const results = [{ key: 'stop.0', met, ...(met === null ? { detail: 'it took longer than 5s' } : {}) }];
    story.tell({ type: 'conditions.observed', data: { ...story.attempt, results } }).advance();
  }
  const moves = evaluationsOf(story.facts).map(({ moved }) => moved.filter(({ name }) => name === 'stop.0'));
  expect(moves).toEqual([[], [{ name: 'stop.0', near: null }], [], [{ name: 'stop.0', near: 0 }]]);
});

test('B041 B043: the newest hundred evaluations are returned', () => {
  const story = startedStory({ config: { maxIterations: 0, maxTokens: 1_000_000 } });
  for (let iteration = 1; iteration <= 103; iteration += 1) story.run().advance();
  const evaluations = evaluationsOf(story.facts);
  expect([evaluations.length, evaluations[0]?.iteration, evaluations.at(-1)?.iteration]).toEqual([100, 4, 103]);
});
