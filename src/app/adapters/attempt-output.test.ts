import { EventEmitter, on, once } from 'node:events';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { agentFinished, someProcess } from '../../core/testing/facts.ts';
import { nodeFiles } from '../../files/index.ts';
import { temporaryFolder } from '../../files/testing/temporary-folder.ts';
import type { Fact, RecordedFact } from '../../protocol/index.ts';
import { attemptsWithOutput, followAttempt, type OutputPiece } from './attempt-output.ts';
import { createFactFeed } from './fact-feed.ts';

const key = { iteration: 1, attempt: 1 };

/** A loop's folder in which attempts have printed something. */
function placeWith(...attempts: readonly (readonly [name: string, stdout: string | undefined])[]) {
  const root = temporaryFolder();
  const folder = path.join(root, 'loop');
  for (const [name, stdout] of attempts) {
    const place = path.join(folder, 'iterations', name);
    mkdirSync(place, { recursive: true });
    if (stdout !== undefined) writeFileSync(path.join(place, 'stdout'), stdout);
  }
  return { files: nodeFiles, root, folder, loopId: 'ralph-fix-tests-a1b2c3d4' };
}

/** Facts that are recorded when the test says so. */
function createSource() {
  const written = new EventEmitter();
  const waiting = new EventEmitter();
  async function* facts(): AsyncGenerator<RecordedFact, void> {
    for await (const [fact] of on(written, 'fact')) yield fact as RecordedFact;
  }
  const feed = createFactFeed(facts());
  const peek = () => {
    waiting.emit('peek');
    return feed.peek();
  };
  return {
    feed: { ...feed, peek },
    record: (fact: Fact) => written.emit('fact', { ...fact, seq: 1, at: '2026-11-01T12:00:00.000Z', epoch: 1 }),
    /** Resolves as soon as whoever follows has read everything and waits. */
    untilWaiting: async () => void (await once(waiting, 'peek')),
  };
}

function textOf(piece: OutputPiece): string {
  return piece.kind === 'bytes' ? Buffer.from(piece.bytes).toString() : piece.kind;
}

test('B113: what an agent printed right before its end is read, although its end is known first', async () => {
  const place = placeWith(['001/attempt-1', 'first\n']);
  const { feed, record, untilWaiting } = createSource();
  const { signal } = new AbortController();
  const pieces = followAttempt(place, { ...key, stream: 'stdout', facts: feed, signal });
  const next = async () => {
    const result = await pieces.next();
    return result.done === true ? undefined : textOf(result.value);
  };
  expect(await next()).toBe('attempt');
  expect(await next()).toBe('first\n');
  const coming = next();
  await untilWaiting();
  // Its adoption is recorded for the same attempt, and ends nothing.
  record({ type: 'agent.started', data: { ...key, process: someProcess } });
  appendFileSync(path.join(place.folder, 'iterations/001/attempt-1/stdout'), 'second\n');
  expect(await coming).toBe('second\n');
  const ending = next();
  await untilWaiting();
  appendFileSync(path.join(place.folder, 'iterations/001/attempt-1/stdout'), 'last\n');
  record(agentFinished(key));
  expect(await ending).toBe('last\n');
  expect(await next()).toBe('end');
  expect(await next()).toBeUndefined();
});

test('A061: the attempts with output are those of the newest iteration that has any, or all from a number on', () => {
  const place = placeWith(
    ['001/attempt-1', 'a'],
    ['002/attempt-1', 'b'],
    ['002/attempt-2', 'c'],
    ['002/attempt-10', 'd'],
    ['003/attempt-1', undefined],
    ['002.superseded/attempt-1', 'old'],
  );
  const second = [1, 2, 10].map((attempt) => ({ iteration: 2, attempt }));
  expect(attemptsWithOutput(place)).toEqual(second);
  expect(attemptsWithOutput(place, 1)).toEqual([key, ...second]);
  expect(attemptsWithOutput(place, 3)).toEqual([]);
});
