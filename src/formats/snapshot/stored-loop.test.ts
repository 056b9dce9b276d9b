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
      "changed",
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
      "guidanceCount",
      "handOff",
      "hooks",
      "id",
      "iteration",
      "lastActivityAt",
      "lastProgressIteration",
      "measures",
      "notes",
      "outputMatches",
      "phase",
      "protectedFiles",
      "recentCalls",
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
      "supervision",
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

test('guidance in a snapshot of the first releases has a number and is for one iteration', () => {
  const story = startedStory().command({ command: 'guide', text: 'a', once: true }).begin();
  const { loop } = story.command({ command: 'guide', text: 'b', once: true });
  const { guidanceCount: _count, ...stored } = toStoredLoop(loop, encodeConfig(loop.config));
  const old = JSON.parse(JSON.stringify(stored), (key, value: unknown) =>
    key === 'number' ? undefined : value,
  ) as object;
  const { commands, position } = fromStoredLoop(storedLoopSchema.parse(old), loop.config);
  expect(position.current?.delivered.guidance).toMatchObject([{ number: 1, text: 'a' }]);
  expect(commands).toMatchObject({ guidance: [{ number: 2, text: 'b' }], guidanceCount: 2 });
});
