import { expect, test } from 'vitest';
import type { RecordedFact } from '../../protocol/index.ts';
import { guidanceInPrompt, guidanceOf } from '../state/guidance.ts';
import { agentFinished, type Run } from '../testing/facts.ts';
import { type Story, startedStory } from '../testing/story.ts';

const endedOnRequest: Run = { outcome: 'unknown', ending: { kind: 'stopped', by: 'request', forced: false } };
const lost: Run = { outcome: 'interrupted', ending: { kind: 'lost' } };
const sender = { user: 'ana', host: 'build', pid: 7, face: 'cli' } as const;

/** What the prompt of the attempt under way says to the agent. */
function promptOf({ loop }: Story): readonly string[] {
  const { current } = loop.position;
  if (current === undefined) throw new Error('no attempt is under way');
  return guidanceInPrompt(loop.commands, current).map(({ text }) => text);
}

/** Begins an attempt and returns the guidance of its prompt. */
function next(story: Story, run: Run = {}): readonly string[] {
  const said = promptOf(story.begin());
  story.tell(agentFinished(story.attempt, run)).advance();
  return said;
}

test('standing guidance is in every prompt until it is dropped', () => {
  const story = startedStory()
    .command({ command: 'guide', text: 'first' })
    .command({ command: 'guide', text: 'second' });
  expect([next(story), next(story)]).toEqual([
    ['first', 'second'],
    ['first', 'second'],
  ]);
  story.command({ command: 'drop', number: 1 });
  expect(next(story)).toEqual(['second']);
  story.command({ command: 'drop' });
  expect(next(story)).toEqual([]);
});

test('guidance for one iteration is in the prompt of one iteration that finished', () => {
  const story = startedStory().command({ command: 'guide', text: 'once', once: true });
  expect([next(story), next(story)]).toEqual([['once'], []]);
});

test.each<[string, Run]>([
  ['hits a limit', { outcome: 'rate_limited' }],
  ['meets a broken environment', { outcome: 'transient' }],
  ['is ended on request', endedOnRequest],
  ['is lost with its owner', lost],
])('guidance for one iteration is delivered again when its attempt %s, before later guidance', (_case, run) => {
  const story = startedStory().command({ command: 'guide', text: 'first', once: true }).begin();
  story.command({ command: 'guide', text: 'second', once: true });
  story.tell(agentFinished(story.attempt, run)).advance();
  expect(promptOf(story.begin())).toEqual(['first', 'second']);
});

test.each(['begun', 'executed', 'verified'] as const)(
  'guidance for one iteration is delivered again when its iteration is skipped after it was %s',
  (stage) => {
    const story = startedStory().command({ command: 'guide', text: 'once', once: true }).reach(stage);
    story.command({ command: 'skip' }).advance();
    expect(story.loop.position.finished).toBe(1);
    expect(promptOf(story.begin())).toEqual(['once']);
  },
);

test('guidance given during an attempt goes into the next prompt', () => {
  const story = startedStory().begin().command({ command: 'guide', text: 'later' });
  expect(promptOf(story)).toEqual([]);
  story.tell(agentFinished(story.attempt)).advance();
  expect(promptOf(story.begin())).toEqual(['later']);
});

test('guidance dropped during its attempt does not return when the attempt has no result', () => {
  const story = startedStory().command({ command: 'guide', text: 'once', once: true }).begin();
  story
    .command({ command: 'drop', number: 1 })
    .tell(agentFinished(story.attempt, { outcome: 'transient' }))
    .advance();
  expect(promptOf(story.begin())).toEqual([]);
});

test('a list of guidance says who gave what when, and in which iterations it was delivered', () => {
  const story = startedStory().command({ command: 'guide', text: 'stand', sender });
  next(story);
  next(story);
  story.command({ command: 'guide', text: 'once', once: true }).begin();
  story.command({ command: 'guide', text: 'new' });
  const at = '2026-11-01T12:00:00.000Z';
  expect(guidanceOf(story.loop)).toEqual([
    { id: 'command-1', number: 1, text: 'stand', standing: true, at, sender, delivered: { first: 1, last: 3 } },
    { id: 'command-2', number: 2, text: 'once', at, delivered: { first: 3, last: 3 } },
    { id: 'command-3', number: 3, text: 'new', standing: true, at },
  ]);
});

test('a number is never given to another piece of guidance', () => {
  const story = startedStory().command({ command: 'guide', text: 'a' }).command({ command: 'drop', number: 1 });
  story.command({ command: 'guide', text: 'b' });
  expect(guidanceOf(story.loop).map(({ number, text }) => [number, text])).toEqual([[2, 'b']]);
});

test('guidance in a journal of the first releases is for one iteration', () => {
  const story = startedStory().tell({ type: 'command.accepted', data: { id: 'old', command: 'guide', text: 'old' } });
  expect([next(story), next(story)]).toEqual([['old'], []]);
});

test.each<[string, number | undefined, string]>([
  ['all guidance of a loop without any', undefined, 'it has no guidance'],
  ['guidance that was never given', 2, 'it has no guidance 2'],
])('dropping %s is refused', (_case, number, why) => {
  const story = startedStory();
  if (number !== undefined) story.command({ command: 'guide', text: 'a' });
  story.command({ command: 'drop', ...(number === undefined ? {} : { number }) });
  expect(story.facts.at(-1)).toMatchObject({ type: 'command.refused', data: { command: 'drop', why } });
});

test('who sent a command is recorded with its answer and with what it asks for', () => {
  const story = startedStory().command({ command: 'skip', sender }).command({ command: 'pause', sender });
  const [refused, accepted] = story.facts.slice(-2) as [RecordedFact, RecordedFact];
  expect(refused).toMatchObject({ type: 'command.refused', data: { sender } });
  expect(accepted).toMatchObject({ type: 'command.accepted', data: { sender } });
  expect(story.loop.commands.requests.pause).toEqual({ now: false, reason: 'user_pause', at: accepted.at, sender });
});
