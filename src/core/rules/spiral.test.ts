import { expect, test } from 'vitest';
import { renderPrompt } from '../prompt/render.ts';
import { changed, type Run } from '../testing/facts.ts';
import { type Story, startedStory } from '../testing/story.ts';

const explored: Run = { exploration: { reads: 5, acts: 0 }, changes: changed(0) };

/** The prompt of the attempt that begins now. */
function nextPrompt(story: Story): string {
  story.begin();
  const { current } = story.loop.position;
  return current === undefined ? '' : renderPrompt(story.loop, 'the task', current);
}

/** Lets the attempt that has begun run to its end. */
function finish(story: Story, run: Run): Story {
  story.reachFromHere('executed', run).advance();
  return story;
}

test('B080: after a run that only explored, the next prompt says so, with the number of its calls', () => {
  const story = startedStory().run({ ...explored, exploration: { reads: 7, acts: 0 } });
  expect(nextPrompt(story)).toContain(
    '## Begin the work\n\nThe previous run called tools 7 times to read, list or search',
  );
  expect(story.facts.at(-1)).toMatchObject({ type: 'iteration.started', data: { correction: 'exploration' } });
});

test('B080: the correction comes once per spiral, and again in a new one', () => {
  const story = startedStory().run(explored);
  expect(nextPrompt(story)).toContain('Begin the work');
  expect(nextPrompt(finish(story, explored))).not.toContain('Begin the work');
  expect(nextPrompt(finish(story, { exploration: { reads: 9, acts: 1 } }))).not.toContain('Begin the work');
  expect(nextPrompt(finish(story, explored))).toContain('Begin the work');
});

test.each([
  ['made four such calls', { exploration: { reads: 4, acts: 0 }, changes: changed(0) }],
  ['ran a command', { exploration: { reads: 50, acts: 1 }, changes: changed(0) }],
  ['changed a file without any known tool', { exploration: { reads: 50, acts: 0 }, changes: changed(1) }],
  ['committed', { ...explored, changes: changed(0, { headMoved: true }) }],
  ['claims completion', { ...explored, claimed: true }],
  ['was refused by its provider', { ...explored, outcome: 'rate_limited' }],
  ['names no tools', { changes: changed(0) }],
] as const)('B080: a run that %s is not a spiral', (_case, run) => {
  const story = startedStory({ config: { iterationDelay: '0' } }).run(run);
  if ('claimed' in run) story.gate({ verdict: 'failed' });
  expect(nextPrompt(story)).not.toContain('Begin the work');
});

test('B080: a correction that reached no agent is given to the next attempt again', () => {
  const story = startedStory().run(explored);
  expect(nextPrompt(story)).toContain('Begin the work');
  expect(nextPrompt(finish(story, { outcome: 'rate_limited' }))).toContain('Begin the work');
  story.command({ command: 'pause', now: true }).tell({
    type: 'agent.finished',
    data: {
      ...story.attempt,
      ending: { kind: 'lost' },
      outcome: 'interrupted',
      claimed: false,
      changes: changed(0),
      durationMs: 0,
    },
  });
  story.advance();
  expect(nextPrompt(story.command({ command: 'resume' }))).toContain('Begin the work');
});
