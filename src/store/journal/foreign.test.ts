import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../files/testing/temporary-folder.ts';
import { code } from '../testing/failing.ts';
import { documentOf, factsOf, loopId, numbersOf, storeIn } from '../testing/stores.ts';

const stranger = 'ralph-other-work-0badcafe';

/** Two loops of two owners each; the journal of the second is in the place of the first one's. */
function swapped(prepare?: (folder: string) => void) {
  const root = temporaryFolder();
  const store = storeIn(root);
  for (const [id, first] of [
    [loopId, 1],
    [stranger, 10],
  ] as const) {
    using loop = store.create(id);
    loop.append(factsOf(first, first + 1));
    if (id === loopId) prepare?.(loop.folder);
    if (id === loopId && prepare) loop.writeSnapshot(documentOf(1));
  }
  store.open(stranger).close();
  const { folder } = store.place(loopId);
  const journal = path.join(folder, 'journal');
  rmSync(journal, { recursive: true });
  cpSync(path.join(store.place(stranger).folder, 'journal'), journal, { recursive: true });
  return { root, store, journal };
}

test('A132, R22: a whole journal of another loop is refused, snapshot or not, and named for what it is', () => {
  const { store, journal } = swapped();
  for (const look of [() => store.read(loopId), () => store.open(loopId)]) {
    expect(look).toThrow(code('STATE_UNRECOVERABLE'));
    expect(look).toThrow(`0002-0001.jsonl belongs to loop ${stranger}, not to this one`);
  }
  expect(readdirSync(journal)).toEqual(['0001-0001.jsonl', '0002-0001.jsonl']);
});

test('A132, R22: beside a snapshot the journal of another loop is reported and set aside, and nothing of it is shown', () => {
  const { store, journal } = swapped(() => {});
  const { entries, problems } = store.read(loopId);
  expect(numbersOf(entries)).toEqual([]);
  expect(problems.map(({ kind }) => kind)).toEqual(['journal_behind', 'corruption']);
  expect(problems.at(-1)?.message).toContain(`belongs to loop ${stranger}`);
  using loop = store.open(loopId);
  loop.append(factsOf(3));
  expect(readdirSync(journal)).toContain('0002-0001.jsonl.broken');
  expect(numbersOf(store.read(loopId).entries)).toEqual([3]);
});

test('a segment of another loop after this one’s is not followed', () => {
  const root = temporaryFolder();
  const store = storeIn(root);
  const mine = store.create(loopId);
  mine.append(factsOf(1));
  mine.close();
  store.create(stranger).close();
  const theirs = store.open(stranger);
  const from = path.join(theirs.folder, 'journal/0002-0001.jsonl');
  cpSync(from, path.join(mine.folder, 'journal/0002-0001.jsonl'));
  theirs.close();
  using loop = store.open(loopId);
  expect(loop.epoch).toBe(3);
  expect(numbersOf(loop.recovered.entries)).toEqual([1]);
  expect(loop.recovered.problems).toMatchObject([{ kind: 'corruption' }]);
});

test('a journal of the first release, which does not name its loop, is read and continued', () => {
  const root = temporaryFolder();
  const folder = path.join(root, '.ralph/loops', loopId);
  mkdirSync(path.join(folder, 'journal'), { recursive: true });
  writeFileSync(path.join(folder, 'lock'), '');
  const owner = '"owner":{"host":"here","bootId":"boot","pid":4242,"startTime":"100"}';
  const at = '"at":"2026-11-16T10:00:00.000Z","epoch":1';
  writeFileSync(
    path.join(folder, 'journal/0001-0001.jsonl'),
    `{"v":1,"seq":1,${at},"type":"segment.opened","data":{"segment":"0001-0001",${owner},"previous":null},"crc":"8174b1cd"}
{"v":1,"seq":2,${at},"type":"number.noted","data":{"number":1},"crc":"c17ee0d6"}
`,
  );
  using loop = storeIn(root).open(loopId);
  expect(loop.recovered.problems).toEqual([]);
  loop.append(factsOf(2));
  expect(numbersOf(storeIn(root).read(loopId).entries)).toEqual([1, 2]);
});
