import { expect, test } from 'vitest';
import { renderPrompt } from '../prompt/render.ts';
import { startedStory } from '../testing/story.ts';
import { workToContinue } from './continued-work.ts';

function endedLoop() {
  const story = startedStory({ config: { maxIterations: 1 } });
  const notes = {
    decisions: [{ text: 'use a map', why: 'it is faster' }],
    issues: [{ text: 'the parser leaks', severity: 'high' as const }],
    pending: ['write the tests'],
  };
  story.run({ summary: 'half of it', notes });
  story.command({ command: 'guide', text: 'leave the API alone' });
  story.advance();
  expect(story.loop).toMatchObject({ status: 'failed', outcome: { reason: 'max_iterations' } });
  return story.loop;
}

test('a loop that has not ended leaves no work to another', () => {
  expect(workToContinue(startedStory().run().loop)).toBeUndefined();
});

test('a loop that continues an ended one takes over its notes, its summaries, its files and its undelivered guidance', () => {
  const work = workToContinue(endedLoop());
  if (work === undefined) throw new Error('nothing to continue');
  const story = startedStory().tell({ type: 'loop.continued', data: work });
  expect(story.loop).toMatchObject({
    origin: { resumedFrom: work.from, earlierIterations: 1 },
    position: { iteration: 0, finished: 0 },
    totals: { stats: { iterations: 0 } },
    handover: {
      summaries: [{ iteration: 0, text: 'half of it' }],
      notes: { pending: ['write the tests'], issues: [{ number: 1, isAddressed: false }] },
    },
  });
  story.begin();
  const { current } = story.loop.position;
  if (current === undefined) throw new Error('no attempt');
  const prompt = renderPrompt(story.loop, 'Fix the tests', current);
  expect(prompt).toContain('the first iteration of a loop that continues an earlier one');
  expect(prompt).toContain('You take over after 1 iteration');
  for (const text of ['> Earlier loop: half of it', '> write the tests', 'use a map', 'the parser leaks']) {
    expect(prompt).toContain(text);
  }
  expect(prompt).toContain('leave the API alone');
});

test('the iterations of all earlier loops add up, and what was handed over once is handed over again', () => {
  const first = workToContinue(endedLoop());
  if (first === undefined) throw new Error('nothing to continue');
  const second = startedStory({ config: { maxIterations: 1, baseline: false } });
  second.tell({ type: 'loop.continued', data: first }).run().advance();
  expect(workToContinue(second.loop)).toMatchObject({
    iterations: 2,
    work: { summaries: ['half of it'], notes: { pending: ['write the tests'] }, guidance: [{ standing: true }] },
  });
});

test('a running loop takes over no more work', () => {
  const work = workToContinue(endedLoop());
  if (work === undefined) throw new Error('nothing to continue');
  const story = startedStory().run();
  const before = story.loop;
  story.tell({ type: 'loop.continued', data: work });
  expect(story.loop.handover).toEqual(before.handover);
});
