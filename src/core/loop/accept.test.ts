import { expect, test } from 'vitest';
import { maxGuidanceLength, type Status, statuses } from '../../protocol/index.ts';
import { maxGuidance } from '../state/commands.ts';
import type { Loop } from '../state/loop.ts';
import { changed } from '../testing/facts.ts';
import { startedStory } from '../testing/story.ts';
import { accept, allowedCommands, type LoopCommand } from './accept.ts';
import { evolve } from './evolve.ts';

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
  drop: { id: 'c', command: 'drop' },
  continue: { id: 'c', command: 'continue' },
  mode: { id: 'c', command: 'mode', mode: 'attended', when: 'iteration' },
  note: { id: 'c', command: 'note', kind: 'issue', text: 'The parser is slow' },
  breakpoint: { id: 'c', command: 'breakpoint', breakpoint: 9 },
  rollback: { id: 'c', command: 'rollback' },
  interrupt: { id: 'c', command: 'interrupt', signal: 'SIGINT' },
} as const satisfies Record<string, LoopCommand>;
type Name = keyof typeof commands;
const names = Object.keys(commands) as Name[];

const limited = () => {
  const story = startedStory().run({ outcome: 'rate_limited' });
  story.advance();
  return story;
};

function asking(): Loop {
  const story = startedStory({ config: { ask: { breakpoints: [1] } } });
  story.advance();
  return story.loop;
}

/** What every loop accepts that has not ended. */
const always = ['mode', 'note', 'breakpoint'] as const;

function askingAfterWork(): Loop {
  const story = startedStory({ config: { ask: { breakpoints: [2] } } });
  story.run({ claimed: false, changes: { ...changed(1), trees: { before: 'a', after: 'b' } } });
  story.advance();
  return story.loop;
}

/** A loop in each state that matters to commands, and which commands it accepts. */
const states: Record<string, { readonly loop: Loop; readonly accepts: readonly Name[] }> = {
  'running between iterations': {
    loop: startedStory().loop,
    accepts: ['pause', 'pause --now', 'stop', 'abort', 'reboot', 'guide', ...always, 'interrupt'],
  },
  'running inside an iteration': {
    loop: startedStory().reach('executing').loop,
    accepts: ['pause', 'pause --now', 'stop', 'abort', 'skip', 'reboot', 'guide', ...always, 'interrupt'],
  },
  'running and about to pause': {
    loop: startedStory().reach('executing').command({ command: 'pause' }).loop,
    accepts: ['pause', 'pause --now', 'resume', 'stop', 'abort', 'skip', 'reboot', 'guide', ...always, 'interrupt'],
  },
  'waiting for a limit': {
    loop: limited().loop,
    accepts: ['pause', 'pause --now', 'stop', 'abort', 'reboot', 'retry', 'guide', ...always, 'interrupt'],
  },
  'running with guidance': {
    loop: startedStory().command({ command: 'guide', text: 'Use tabs' }).loop,
    accepts: ['pause', 'pause --now', 'stop', 'abort', 'reboot', 'guide', 'drop', ...always, 'interrupt'],
  },
  'waiting for a decision': {
    loop: asking(),
    accepts: ['pause', 'pause --now', 'stop', 'abort', 'continue', 'skip', 'reboot', 'guide', ...always, 'interrupt'],
  },
  'waiting for a decision after work in git': {
    loop: askingAfterWork(),
    accepts: [
      'pause',
      'pause --now',
      'stop',
      'abort',
      'continue',
      'skip',
      'reboot',
      'rollback',
      'guide',
      ...always,
      'interrupt',
    ],
  },
  paused: { loop: inStatus('paused'), accepts: ['resume', 'stop', 'abort', 'guide', ...always] },
  'paused while a limit lasts': {
    loop: { ...limited().loop, status: 'paused' },
    accepts: ['resume', 'stop', 'abort', 'retry', 'guide', ...always],
  },
  'paused before the gate': {
    loop: { ...startedStory().reach('executed').loop, status: 'paused' },
    accepts: ['resume', 'stop', 'abort', 'skip', 'guide', ...always],
  },
  completing: { loop: inStatus('completing'), accepts: [] },
  completed: { loop: inStatus('completed'), accepts: [] },
  failed: { loop: inStatus('failed'), accepts: [] },
  aborted: { loop: inStatus('aborted'), accepts: [] },
  crashed: { loop: inStatus('crashed'), accepts: [] },
  idle: { loop: inStatus('idle'), accepts: [] },
};

function inStatus(status: Status | 'idle'): Loop {
  return { ...startedStory().loop, status };
}

test.each(Object.entries(states))(
  'A023 A039 A048 R5 R6: a loop that is %s accepts what fits and refuses the rest',
  (_state, { loop, accepts }) => {
    for (const name of names) {
      const [first] = accept(loop, commands[name]);
      expect([name, first?.type]).toEqual([name, accepts.includes(name) ? 'command.accepted' : 'command.refused']);
    }
  },
);

test.each(Object.entries(states))(
  'a loop that is %s names the commands that it accepts',
  (_state, { loop, accepts }) => {
    const named = new Set<string>(accepts.map((name) => commands[name].command).filter((name) => name !== 'interrupt'));
    expect(new Set(allowedCommands(loop))).toEqual(named);
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
    journal: { ...loop.journal, seq: 2, lastActivityAt: '2026-11-01T13:00:00.000Z' },
    commands: { ...loop.commands, served: [{ id: 'c', refusedBecause: 'the loop is already running' }] },
  });
});

test('a resume of a paused loop is accepted, and the loop runs again even if its owner dies right after that fact', () => {
  const story = startedStory().command({ command: 'pause' });
  story.advance();
  story.command({ command: 'resume' });
  expect(story.loop).toMatchObject({ status: 'paused', commands: { requests: { resume: true } } });
  story.takeOver().advance();
  expect(story.loop.status).toBe('running');
  expect(story.loop.commands.requests).toEqual({});
});

test('a command that was already answered is ignored when it arrives again', () => {
  const story = startedStory().tell(...accept(startedStory().loop, commands.guide));
  expect(accept(story.loop, commands.guide)).toEqual([]);
  expect(accept(story.loop, { ...commands.guide, id: 'another' })).toHaveLength(1);
  const refused = startedStory().tell(...accept(startedStory().loop, commands.skip));
  expect(accept(refused.loop, commands.skip)).toEqual([]);
});

test.each([
  ['empty', ' \n', 'the guidance is empty'],
  ['too long', 'x'.repeat(maxGuidanceLength + 1), `the guidance is longer than ${maxGuidanceLength} characters`],
])('guidance that is %s is refused', (_case, text, why) => {
  expect(accept(startedStory().loop, { id: 'c', command: 'guide', text })).toMatchObject([
    { type: 'command.refused', data: { why } },
  ]);
});

test('guidance of the maximum length is accepted', () => {
  const text = 'x'.repeat(maxGuidanceLength);
  expect(accept(startedStory().loop, { id: 'c', command: 'guide', text })).toMatchObject([
    { type: 'command.accepted' },
  ]);
});

test('guidance beyond what a loop can hold is refused rather than accepted and lost', () => {
  const story = startedStory();
  for (let index = 0; index < maxGuidance; index += 1) story.command({ command: 'guide', text: `hint ${index}` });
  expect(story.loop.commands.guidance).toHaveLength(maxGuidance);
  story.command({ command: 'guide', text: 'one too many' });
  expect(story.facts.at(-1)?.type).toBe('command.refused');
  story.begin().command({ command: 'guide', text: 'still too many, as the attempt may come to nothing' });
  expect(story.facts.at(-1)?.type).toBe('command.refused');
});
