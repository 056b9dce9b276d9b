import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../files/testing/temporary-folder.ts';
import { type SnapshotDocument, type SnapshotUpcaster, snapshotUpcasters } from '../protocol/index.ts';
import { documentOf, factsOf, loopId, numbersOf, storeIn } from './testing/stores.ts';

const rename: SnapshotUpcaster = (document) => {
  const ralphd = document['ralphd'] as SnapshotDocument;
  const { streak, ...rest } = ralphd;
  return { ...document, ralphd: { ...rest, failures: streak } };
};
const upcasters = [...snapshotUpcasters, rename];
const today = snapshotUpcasters.length + 1;

function oldLoop() {
  const root = temporaryFolder();
  const loop = storeIn(root).create(loopId);
  loop.append(factsOf(1));
  loop.writeSnapshot(documentOf(1));
  loop.append(factsOf(2));
  loop.close();
  return { root, folder: loop.folder, file: path.join(loop.folder, 'state.json') };
}

test('a snapshot of an older format is brought up to date when it is opened, and the original is kept', () => {
  const { root, folder, file } = oldLoop();
  const original = readFileSync(file);
  using loop = storeIn(root, { upcasters }).open(loopId);
  expect(loop.recovered.snapshot).toMatchObject({ iteration: 1, ralphd: { failures: 0 } });
  expect(loop.recovered.snapshot?.['ralphd']).not.toHaveProperty('streak');
  expect(numbersOf(loop.recovered.entries)).toEqual([2]);
  expect(loop.recovered.problems).toEqual([]);
  expect(readFileSync(path.join(folder, `state.json.format-${today}`))).toEqual(original);

  loop.writeSnapshot({ ...documentOf(2), ralphd: { failures: 0 } });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ ralphd: { format: today + 1 } });
  loop.close();
  using again = storeIn(root, { upcasters }).open(loopId);
  expect(again.recovered.snapshot).toMatchObject({ iteration: 2, ralphd: { format: today + 1, failures: 0 } });
  expect(readFileSync(path.join(folder, `state.json.format-${today}`))).toEqual(original);
});

test('looking at a loop of an older format changes nothing', () => {
  const { root, folder } = oldLoop();
  const before = readdirSync(folder);
  expect(storeIn(root, { upcasters }).read(loopId).snapshot).toMatchObject({ ralphd: { failures: 0 } });
  expect(readdirSync(folder)).toEqual(before);
});

test('A119, A137: a snapshot that a newer ralphd wrote is refused, giving both versions, and left untouched', () => {
  const { root, folder, file } = oldLoop();
  using newer = storeIn(root, { upcasters }).open(loopId);
  newer.writeSnapshot({ ...documentOf(2), ralphd: { failures: 0 } });
  newer.close();
  const before = [readFileSync(file), readdirSync(folder, { recursive: true })];
  expect(() => storeIn(root).open(loopId)).toThrow(
    expect.objectContaining({
      failure: expect.objectContaining({
        code: 'STATE_NEWER_VERSION',
        message: expect.stringMatching(new RegExp(String.raw`format ${today}.* ${today + 1}\b`)),
      }),
    }),
  );
  expect([readFileSync(file), readdirSync(folder, { recursive: true })]).toEqual(before);
});

test('an older snapshot with a wrong checksum is damage, not something to migrate', () => {
  const { root, folder, file } = oldLoop();
  writeFileSync(file, readFileSync(file, 'utf8').replace('"streak": 0', '"streak": 1'));
  using loop = storeIn(root, { upcasters }).open(loopId);
  expect(loop.recovered.snapshot).toBeUndefined();
  expect(numbersOf(loop.recovered.entries)).toEqual([1, 2]);
  expect(readdirSync(folder).some((name) => name.startsWith('state.json.broken-'))).toBe(true);
});
