import { expect, test } from 'vitest';
import { verdicts } from '../../protocol/index.ts';
import { fileGuard } from '../testing/facts.ts';
import { startedStory } from '../testing/story.ts';
import { verdictOf } from './verdict.ts';

const guards = [fileGuard('check.sh', 'a'), fileGuard('stamp', 'b')];

test.each(verdicts)('R6: checks that %s are worth nothing once one of their files was changed', (verdict) => {
  expect(verdictOf({ verdict })).toBe(verdict);
  expect(verdictOf({ verdict, tampered: [] })).toBe(verdict);
  expect(verdictOf({ verdict, tampered: ['check.sh'] })).toBe('unverifiable');
});

test('R6, R15: a gate that says it passed, but whose file was changed, completes nothing', () => {
  const story = startedStory({ guards });
  story.run({ claimed: true }).gate({ verdict: 'passed', tampered: ['check.sh'] });
  expect(story.loop.gate?.result).toMatchObject({ verdict: 'unverifiable', tampered: ['check.sh'] });
  expect(story.loop.completionChecks).toMatchObject([{ passed: false }]);
  story.advance();
  expect(story.loop).toMatchObject({ status: 'running', finished: 1 });
  story.run({ claimed: true }).gate({ verdict: 'passed' });
  story.advance();
  expect(story.loop).toMatchObject({ status: 'completing', verified: true });
});

test('what the checks change themselves is found out before the first iteration, and guarded no longer', () => {
  const story = startedStory({ guards, config: { baseline: true } });
  story.tell({
    type: 'baseline.finished',
    data: { verdict: 'failed', checks: [], unguarded: ['stamp'], elapsedMs: 0 },
  });
  expect(story.loop.guards).toEqual([guards[0]]);
});

test('what the user accepts is what is guarded from then on', () => {
  const accepted = [fileGuard('check.sh', 'c')];
  const story = startedStory({ guards }).tell({
    type: 'gate.accepted',
    data: { guards: accepted, changed: ['check.sh'] },
  });
  expect(story.loop.guards).toEqual(accepted);
});
