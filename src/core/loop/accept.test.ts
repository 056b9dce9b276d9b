import { expect, test } from 'vitest';
import { type Status, statuses } from '../../protocol/index.ts';
import { startedStory } from '../testing/story.ts';
import { accept, type LoopCommand, longestGuidance } from './accept.ts';
import { evolve } from './evolve.ts';
import { keptGuidance, type Loop } from './loop.ts';

const commands = {
  pause: { id: 'c', command: 'pause' },
  'pause --now': { id: 'c', command: 'pause', now: true },
  resume: { id: 'c', command: 'resume' },
  stop: { id: 'c', command: 'stop' },
  abort: { id: 'c', command: 'abort' },
  skip: { id: 'c', command: 'skip' },
  reboot: { id: 'c', command: 'reboot' },
  retry: { id: 'c', command: 'retry' },
  guide: { id: 'c', command: 'guide', text: 'Try the other file' },
  interrupt: { id: 'c', command: 'interrupt', signal: 'SIGINT' },
} as const satisfies Record<string, LoopCommand>;
type Name = keyof typeof commands;
const names = Object.keys(commands) as Name[];

const limited = () => {
  const story = startedStory().run({ outcome: 'rate_limited' });
  story.advance();
  return story;
};

/** A loop in each state that commands tell apart, and which commands it takes. */
const states: Record<string, { readonly loop: Loop; readonly takes: readonly Name[] }> = {
  'running between iterations': {
    loop: startedStory().loop,
    takes: ['pause', 'pause --now', 'stop', 'abort', 'reboot', 'guide', 'interrupt'],
  },
  'running inside an iteration': {
    loop: startedStory().reach('executing').loop,
    takes: ['pause', 'pause --now', 'stop', 'abort', 'skip', 'reboot', 'guide', 'interrupt'],
  },
  'running and about to pause': {
    loop: startedStory().reach('executing').command({ command: 'pause' }).loop,
    takes: ['pause', 'pause --now', 'resume', 'stop', 'abort', 'skip', 'reboot', 'guide', 'interrupt'],
  },
  'waiting for a limit': {
    loop: limited().loop,
    takes: ['pause', 'pause --now', 'stop', 'abort', 'reboot', 'retry', 'guide', 'interrupt'],
  },
  paused: { loop: inStatus('paused'), takes: ['resume', 'stop', 'abort', 'guide'] },
  'paused while a limit lasts': {
    loop: { ...limited().loop, status: 'paused' },
    takes: ['resume', 'stop', 'abort', 'retry', 'guide'],
  },
  'paused before the gate': {
    loop: { ...startedStory().reach('executed').loop, status: 'paused' },
    takes: ['resume', 'stop', 'abort', 'skip', 'guide'],
  },
  completing: { loop: inStatus('completing'), takes: [] },
  completed: { loop: inStatus('completed'), takes: [] },
  failed: { loop: inStatus('failed'), takes: [] },
  aborted: { loop: inStatus('aborted'), takes: [] },
  crashed: { loop: inStatus('crashed'), takes: [] },
  idle: { loop: inStatus('idle'), takes: [] },
};

function inStatus(status: Status | 'idle'): Loop {
  return { ...startedStory().loop, status };
}

test.each(Object.entries(states))(
  'A023 A039 A048 R5 R6: a loop that is %s takes what fits and refuses the rest',
  (_state, { loop, takes }) => {
    for (const name of names) {
      const [first] = accept(loop, commands[name]);
      expect([name, first?.type]).toEqual([name, takes.includes(name) ? 'command.accepted' : 'command.refused']);
    }
  },
);

test('every status is covered by the table above', () => {
  expect(new Set(Object.values(states).map(({ loop }) => loop.status))).toEqual(new Set([...statuses, 'idle']));
});

test('A048: a refused command is recorded with its reason and changes nothing else', () => {
  const { loop } = startedStory();
  const facts = accept(loop, commands.resume);
  expect(facts).toEqual([
    { type: 'command.refused', data: { id: 'c', command: 'resume', why: 'the loop is already running' } },
  ]);
  const [fact] = facts;
  if (fact === undefined) throw new Error('nothing was recorded');
  const after = evolve(loop, { ...fact, seq: 2, at: '2026-11-01T13:00:00.000Z', epoch: 1 });
  expect(after).toEqual({
    ...loop,
    seq: 2,
    lastActivityAt: '2026-11-01T13:00:00.000Z',
    servedCommands: [{ id: 'c', refusedBecause: 'the loop is already running' }],
  });
});

test('a resume of a paused loop is accepted, and the loop runs again even if its owner dies right behind that fact', () => {
  const story = startedStory().command({ command: 'pause' });
  story.advance();
  story.command({ command: 'resume' });
  expect(story.loop).toMatchObject({ status: 'paused', requests: { resume: true } });
  story.takeOver().advance();
  expect(story.loop.status).toBe('running');
  expect(story.loop.requests).toEqual({});
});

test('a command that was answered once leads to nothing when it arrives again', () => {
  const story = startedStory().tell(...accept(startedStory().loop, commands.guide));
  expect(accept(story.loop, commands.guide)).toEqual([]);
  expect(accept(story.loop, { ...commands.guide, id: 'another' })).toHaveLength(1);
  const refused = startedStory().tell(...accept(startedStory().loop, commands.skip));
  expect(accept(refused.loop, commands.skip)).toEqual([]);
});

test.each([
  ['empty', ' \n', 'the guidance is empty'],
  ['too long', 'x'.repeat(longestGuidance + 1), `the guidance is longer than ${longestGuidance} characters`],
])('guidance that is %s is refused', (_case, text, why) => {
  expect(accept(startedStory().loop, { id: 'c', command: 'guide', text })).toMatchObject([
    { type: 'command.refused', data: { why } },
  ]);
});

test('guidance of the greatest length is taken', () => {
  const text = 'x'.repeat(longestGuidance);
  expect(accept(startedStory().loop, { id: 'c', command: 'guide', text })).toMatchObject([
    { type: 'command.accepted' },
  ]);
});

test('guidance beyond what a loop can hold is refused rather than taken and lost', () => {
  const story = startedStory();
  for (let index = 0; index < keptGuidance; index += 1) story.command({ command: 'guide', text: `hint ${index}` });
  expect(story.loop.guidance).toHaveLength(keptGuidance);
  story.command({ command: 'guide', text: 'one too many' });
  expect(story.facts.at(-1)?.type).toBe('command.refused');
  story.begin().command({ command: 'guide', text: 'still too many, as the attempt may come to nothing' });
  expect(story.facts.at(-1)?.type).toBe('command.refused');
});
