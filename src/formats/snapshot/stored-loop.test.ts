import { expect, test } from 'vitest';
import { idleLoop } from '../../core/index.ts';
import { changed } from '../../core/testing/facts.ts';
import { startedStory } from '../../core/testing/story.ts';
import { encodeConfig, storedLoopSchema } from '../../protocol/index.ts';
import { fromStoredLoop, toStoredLoop } from './stored-loop.ts';

test('a snapshot keeps every field side by side under the names of the first release, and gives the same loop back', () => {
  const story = startedStory().reach('verified', { claimed: true, changes: changed(2), sessionId: 'abc' });
  const { loop } = story.command({ command: 'guide', text: 'mind the gap' });
  const stored = toStoredLoop(loop, encodeConfig(loop.config));
  expect(Object.keys(stored).toSorted()).toMatchInlineSnapshot(`
    [
      "agent",
      "attempt",
      "checkMemory",
      "checks",
      "completionChecks",
      "config",
      "configHash",
      "current",
      "epoch",
      "finished",
      "gate",
      "guidance",
      "handOff",
      "id",
      "iteration",
      "lastActivityAt",
      "lastProgressIteration",
      "measures",
      "notes",
      "outputMatches",
      "phase",
      "protectedFiles",
      "recentScores",
      "recoveries",
      "requests",
      "retries",
      "runningMs",
      "seq",
      "servedCommands",
      "session",
      "sessionHistory",
      "spent",
      "startedAt",
      "startedBy",
      "stats",
      "status",
      "summaries",
      "task",
      "testMemory",
      "touchedFiles",
      "uuid",
      "verified",
      "workingDirectory",
    ]
  `);
  expect(Object.values(stored).every((value) => value !== undefined)).toBe(true);
  expect(fromStoredLoop(storedLoopSchema.parse(stored), loop.config)).toEqual(loop);
});

test('what an earlier version did not write is as in a loop that has just begun', () => {
  const { config } = startedStory().loop;
  const first = { id: 'ralph-x-00000001', seq: 3, status: 'idle', config: {} };
  expect(fromStoredLoop(storedLoopSchema.parse(first), config)).toEqual({
    ...idleLoop(config),
    id: 'ralph-x-00000001',
    journal: { seq: 3, epoch: 0, recoveries: 0 },
  });
});
