import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../files/testing/temporary-folder.ts';
import { parseSnapshotEnd, snapshotBytes } from './snapshot.ts';
import { documentOf, factsOf, loopId, storeIn } from './testing/stores.ts';

const view = { version: 2, id: loopId, task: 'a line\n    "view": {' };
const document = { ...documentOf(1), ralphd: { loop: { much: 'more' }, view } };

function savedLoop() {
  const folders = storeIn(temporaryFolder());
  {
    using open = folders.create(loopId);
    open.append(factsOf(1));
    open.writeSnapshot(document);
  }
  const { folder, ...place } = folders.place(loopId);
  const glance = () => folders.loops()[0]?.glance();
  const file = path.join(folder, 'state.json');
  return { folders, place: { ...place, folder }, file, glance, journal: path.join(folder, 'journal/0001-0001.jsonl') };
}

test('a glance at a loop reads the end of its snapshot, which has the view', () => {
  const { glance, place } = savedLoop();
  expect(glance()).toMatchObject({ loopId, folder: place.folder, problems: [], snapshot: { ralphd: { view } } });
  expect(glance()?.snapshot?.ralphd).not.toHaveProperty('loop');
});

test('a glance tells nothing of a loop to which more was recorded since its snapshot', () => {
  const { folders, glance, journal } = savedLoop();
  appendFileSync(journal, 'x');
  expect(glance()).toBeUndefined();
  const other = savedLoop();
  using open = other.folders.open(loopId);
  open.append(factsOf(2));
  expect(other.glance()).toBeUndefined();
  const [candidate] = other.folders.candidates();
  expect(candidate?.lastSnapshot()).toMatchObject({ ralphd: { view } });
  expect(folders.read(loopId).snapshot).toMatchObject({ ralphd: { loop: { much: 'more' }, view } });
});

test('a glance tells nothing of a snapshot that is not, to the last byte, what was written', () => {
  const { file, glance, place } = savedLoop();
  const bytes = readFileSync(file);
  for (let index = 0; index < bytes.byteLength; index += 1) {
    const flipped = Buffer.from(bytes);
    flipped[index] = (flipped[index] ?? 0) ^ 1;
    expect(parseSnapshotEnd(flipped, place), `byte ${index}`).toBeUndefined();
  }
  writeFileSync(file, bytes.subarray(0, -1));
  expect(glance()).toBeUndefined();
});

test('a glance leaves snapshots of other formats and versions, without a view or nested too deeply, to a whole look', () => {
  const { place } = savedLoop();
  const position = { segment: '0001-0001', bytes: 1, seq: 1, crc: 1 };
  const read = (changed: object) =>
    parseSnapshotEnd(snapshotBytes(place, { ...document, ...changed }, position), place);
  expect(read({})).toMatchObject({ document: { ralphd: { view } }, position });
  expect(read({ version: '3.0.0' })).toBeUndefined();
  expect(read({ ralphd: { loop: {} } })).toBeUndefined();
  const deep: unknown = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`);
  expect(read({ ralphd: { view: { deep } } })).toBeUndefined();
  const newer = { ...place, upcasters: [(older: object) => ({ ...older }), (older: object) => ({ ...older })] };
  expect(parseSnapshotEnd(snapshotBytes(newer, document, position), place)).toBeUndefined();
});
