import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { nodeFiles } from '../files/index.ts';
import { systemError, watchFiles } from '../files/testing/faulty-files.ts';
import { temporaryFolder } from '../files/testing/temporary-folder.ts';
import { followFacts, readFactsOfLoop } from './follow.ts';
import { createJournalCursor } from './journal/cursor.ts';
import type { JournalEntry } from './journal/line.ts';
import type { LoopFolders } from './loops.ts';
import { journalOf } from './recover.ts';
import { documentOf, factsOf, loopId, numbersOf, storeIn } from './testing/stores.ts';

function cursorOf(store: LoopFolders, afterSeq = 0) {
  return createJournalCursor(journalOf(store.place(loopId)), afterSeq);
}

/** Everything there is to read now, and how many pieces it came in. */
function readAll(cursor: ReturnType<typeof cursorOf>) {
  const pieces: (readonly unknown[])[] = [];
  for (let read = cursor.next(); read.length > 0; read = cursor.next()) pieces.push(numbersOf(read));
  return { numbers: pieces.flat(), pieces: pieces.length };
}

test('a cursor reads each fact once, over new segments and new owners, and a segment at a time', () => {
  const store = storeIn(temporaryFolder(), { segmentBytes: 200 });
  const first = store.create(loopId);
  const cursor = cursorOf(store);
  expect(readAll(cursor).numbers).toEqual([]);
  for (const number of [1, 2, 3, 4, 5, 6]) first.append(factsOf(number));
  const { numbers, pieces } = readAll(cursor);
  expect(numbers).toEqual([1, 2, 3, 4, 5, 6]);
  expect(pieces).toBeGreaterThan(2);
  first.close();
  using second = store.open(loopId);
  second.append(factsOf(7, 8));
  expect(readAll(cursor).numbers).toEqual([7, 8]);
  second.append(factsOf(9));
  expect(readAll(cursor).numbers).toEqual([9]);
  expect(readAll(cursorOf(store)).numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('a cursor that begins after a number reads what follows it, wherever that is', () => {
  const store = storeIn(temporaryFolder(), { segmentBytes: 200 });
  using loop = store.create(loopId);
  const recorded = [1, 2, 3, 4, 5].flatMap((number) => loop.append(factsOf(number)));
  for (const [index, { seq }] of recorded.entries()) {
    expect(readAll(cursorOf(store, seq)).numbers).toEqual([1, 2, 3, 4, 5].slice(index + 1));
  }
});

test('B113: a cursor reads a large segment in slices, and finds what follows a number that is far behind its start', () => {
  const store = storeIn(temporaryFolder());
  using loop = store.create(loopId);
  const wide = (number: number) => ({ type: 'number.noted', data: { number, text: 'x'.repeat(200_000) } });
  const numbers = Array.from({ length: 35 }, (_, index) => index + 1);
  const long = { type: 'number.noted', data: { number: 35, text: 'x'.repeat(900_000) } };
  const recorded = numbers.flatMap((number) => loop.append([number === 35 ? long : wide(number)]));
  const { numbers: read, pieces } = readAll(cursorOf(store));
  expect(read).toEqual(numbers);
  expect(pieces).toBeGreaterThan(3);
  expect(readAll(cursorOf(store, recorded.at(-2)?.seq)).numbers).toEqual([35]);
  expect(readAll(cursorOf(store, recorded.at(-1)?.seq)).numbers).toEqual([]);
});

test('half a line becomes a fact only with its rest, and never if the next owner cut it off', () => {
  const folder = temporaryFolder();
  const store = storeIn(folder);
  const loop = store.create(loopId);
  loop.append(factsOf(1));
  const cursor = cursorOf(store);
  expect(readAll(cursor).numbers).toEqual([1]);
  const segment = path.join(loop.folder, 'journal/0001-0001.jsonl');
  writeFileSync(segment, '{"v":1,"seq":3,"at"', { flag: 'a' });
  expect(readAll(cursor).numbers).toEqual([]);
  loop.close();
  using second = store.open(loopId);
  second.append(factsOf(2));
  expect(readAll(cursor).numbers).toEqual([2]);
});

test('facts that a restore took back do not come again; what was recorded in their place does', () => {
  const store = storeIn(temporaryFolder());
  const loop = store.create(loopId);
  loop.append(factsOf(1));
  loop.writeSnapshot(documentOf(1));
  const { position } = loop;
  if (position === undefined) throw new Error('nothing was recorded');
  const file = loop.writeCheckpoint({ iteration: 1, document: documentOf(1), position, wrap: (state) => state });
  loop.append(factsOf(2, 3));
  const cursor = cursorOf(store);
  expect(readAll(cursor).numbers).toEqual([1, 2, 3]);
  loop.close();
  const { open } = store.restore(loopId, file, () => []);
  using restored = open;
  restored.append(factsOf(4));
  expect(readAll(cursor).numbers).toEqual([4]);
});

test('B113: facts that were read before their sync failed do not come again in the segment that replaces theirs', () => {
  const folder = temporaryFolder();
  const seen: unknown[] = [];
  let failures = 0;
  const files = watchFiles(nodeFiles, ({ name }) => {
    if (name !== 'syncData' || failures === 0) return;
    failures -= 1;
    // A reader of another process is faster than the sync.
    seen.push(...readAll(cursor).numbers);
    throw systemError('EIO');
  });
  const store = storeIn(folder, { files });
  using loop = store.create(loopId);
  const cursor = cursorOf(storeIn(folder));
  loop.append(factsOf(1));
  failures = 1;
  loop.append(factsOf(2, 3));
  loop.append(factsOf(3));
  expect(seen).toEqual([1, 2, 3]);
  seen.push(...readAll(cursor).numbers);
  expect(seen).toEqual([1, 2, 3, 3]);
  expect(readAll(cursorOf(storeIn(folder))).numbers).toEqual([1, 2, 3, 3]);
});

test('B113: a reader that comes back by number after a failed sync loses nothing, and gets no more than its last fact again', () => {
  const folder = temporaryFolder();
  const faster: (readonly JournalEntry[])[] = [];
  let failures = 0;
  const files = watchFiles(nodeFiles, ({ name }) => {
    if (name !== 'syncData' || failures === 0) return;
    failures -= 1;
    faster.push([...readFactsOfLoop(storeIn(folder).place(loopId))]);
    throw systemError('EIO');
  });
  using loop = storeIn(folder, { files }).create(loopId);
  loop.append(factsOf(1));
  failures = 1;
  loop.append(factsOf(2, 3));
  const later = (afterSeq = 0) => numbersOf([...readFactsOfLoop(storeIn(folder).place(loopId), afterSeq)]);
  // The new segment begins with a line of its own, which shifts what is recorded again by one number.
  expect(faster.map(numbersOf)).toEqual([[1, 2, 3]]);
  expect(later(faster[0]?.at(-1)?.seq)).toEqual([3]);
  // The same number is that of another fact for whoever read only what counts: nothing less may follow it.
  const counted = [...readFactsOfLoop(storeIn(folder).place(loopId))];
  expect(counted.map(({ seq }) => seq).at(-2)).toBe(faster[0]?.at(-1)?.seq);
  expect(later(counted.at(-2)?.seq)).toEqual([3]);
});

test('a follower of a journal gets the existing facts, then new ones, from owner to owner, until it is stopped', async () => {
  const folder = temporaryFolder();
  const store = storeIn(folder);
  const first = store.create(loopId);
  first.append(factsOf(1));
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const seen: unknown[] = [];
  const following = (async () => {
    const facts = followFacts(store.place(loopId), { afterSeq: 0, signal: stop.signal, mayGrow: () => true });
    for await (const entry of facts) seen.push(...numbersOf([entry]));
  })();
  await expect.poll(() => seen).toEqual([1]);
  first.append(factsOf(2));
  await expect.poll(() => seen).toEqual([1, 2]);
  first.close();
  using second = store.open(loopId);
  second.append(factsOf(3, 4));
  await expect.poll(() => seen).toEqual([1, 2, 3, 4]);
  stop.abort();
  await following;
  second.append(factsOf(5));
  expect(seen).toEqual([1, 2, 3, 4]);
});

test('a journal that is gone has nothing to read, and that is no error', () => {
  const folder = temporaryFolder();
  const store = storeIn(folder);
  using loop = store.create(loopId);
  loop.append(factsOf(1));
  const place = store.place(loopId);
  const journal = path.join(loop.folder, 'journal');
  rmSync(journal, { recursive: true });
  const cursor = createJournalCursor(journalOf(place), 0);
  expect(cursor.next()).toEqual([]);
  mkdirSync(journal);
  expect(cursor.next()).toEqual([]);
});
