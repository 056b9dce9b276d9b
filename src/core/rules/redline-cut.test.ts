import { expect, test } from 'vitest';
import type { LoopConfigInput } from '../../protocol/index.ts';
import { handoverText } from '../prompt/handover.ts';
import { changed } from '../testing/facts.ts';
import { type Story, startedStory } from '../testing/story.ts';
import { redlineCut } from './reboots.ts';

const immediate: LoopConfigInput = { session: { strategy: 'continue', reboot: { mode: 'immediate' } } };
const size = 200_000;

/** A loop whose agent has just used this share of its context window, in percent. */
function afterUsing(percent: number, config: LoopConfigInput = immediate): Story {
  const context = { used: (percent * size) / 100, size };
  const story = startedStory({ config }).run({ sessionId: 'session-1', usage: { context } });
  story.advance();
  return story;
}

test('B033: in the mode "immediate" a run is ended at the redline, in the window that an earlier run reported', () => {
  expect(redlineCut(startedStory({ config: immediate }).loop)).toEqual({ percent: 85, isBelow: false });
  expect(redlineCut(afterUsing(40).loop)).toEqual({ percent: 85, window: size, isBelow: true });
});

test.each([
  ['the mode is "graceful"', { session: { strategy: 'continue' } }],
  ['every iteration has a session of its own', { session: { reboot: { mode: 'immediate' } } }],
  ['the redline is 0, so that no session is continued', { ...immediate, contextRedlinePercent: 0 }],
  ['a person decides on reboots', { session: { ...immediate.session, autoReboot: false } }],
] as const)('B033: a run may finish if %s', (_why, config) => {
  expect(redlineCut(afterUsing(40, config).loop)).toBeUndefined();
});

test('B033: a full session whose reboot failed is not cut again and again', () => {
  const story = afterUsing(90);
  story.tell({ type: 'reboot.started', data: { cause: 'redline' } });
  story.tell({ type: 'reboot.finished', data: { cause: 'redline', ok: false, message: 'a hook failed' } });
  expect(redlineCut(story.loop)).toBeUndefined();
});

test('B033: a run that was ended at the redline counts, is nobody’s fault, and a new session takes over', () => {
  const story = startedStory({ config: { ...immediate, stopConditions: { maxNoProgressIterations: 2 } } });
  const cut = { kind: 'stopped', by: 'redline', forced: true } as const;
  const context = { used: 0.9 * size, size };
  story.run({ sessionId: 'session-1', ending: cut, outcome: 'interrupted', usage: { context }, changes: changed(1) });
  story.advance();
  expect(story.loop).toMatchObject({
    position: { finished: 1 },
    session: { contextWindow: size, current: { contextPercent: 90 } },
  });
  expect(story.loop.signals.lastFailure).toBeUndefined();
  expect(story.advance()).toEqual({ type: 'reboot', cause: 'redline' });
  story.tell({ type: 'reboot.started', data: { cause: 'redline' } });
  story.tell({ type: 'reboot.finished', data: { cause: 'redline', ok: true } });
  expect(handoverText(story.loop, { task: 'x', commits: [] })).toContain('ended in the middle of its work');
});

test('B033: a session that was ended at the redline without a reading is full', () => {
  const story = startedStory({ config: immediate });
  const cut = { kind: 'stopped', by: 'redline', forced: false } as const;
  story.run({ sessionId: 'session-1', ending: cut, outcome: 'interrupted', changes: changed(1) }).advance();
  expect(story.advance()).toEqual({ type: 'reboot', cause: 'redline' });
});

test('B033: runs that are ended at the redline and change nothing do not go on forever', () => {
  const story = startedStory({ config: { ...immediate, maxIterations: 0, maxTokens: 1_000_000 } });
  const cut = { kind: 'stopped', by: 'redline', forced: false } as const;
  const context = { used: 0.9 * size, size };
  const reboots = [];
  for (let runs = 1; story.loop.status === 'running' && runs < 50; runs += 1) {
    story.run({
      sessionId: `session-${runs}`,
      ending: cut,
      outcome: 'interrupted',
      usage: { context },
      changes: changed(0),
    });
    story.advance();
    if (story.advance().type !== 'reboot') break;
    reboots.push(runs);
    story.tell({ type: 'reboot.started', data: { cause: 'redline' } });
    story.tell({ type: 'reboot.finished', data: { cause: 'redline', ok: true } });
  }
  expect(reboots).toEqual([1, 2, 3, 4]);
  expect(story.loop.outcome.reason).toBe('no_progress');
});
