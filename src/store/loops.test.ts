import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../files/testing/temporary-folder.ts';
import { documentOf, factsOf, loopId, numbersOf, owner, storeIn } from './testing/stores.ts';

test('A118, A131: the next process reads what one recorded, each with its own epoch and segment', () => {
  const folder = temporaryFolder();
  const first = storeIn(folder).create(loopId);
  const [entry] = first.append(factsOf(1));
  expect(entry).toEqual({
    seq: 2,
    at: '2026-11-16T10:00:00.000Z',
    epoch: 1,
    type: 'number.noted',
    data: { number: 1 },
  });
  first.append(factsOf(2, 3));
  first.close();

  using second = storeIn(folder).open(loopId);
  expect(second.epoch).toBe(2);
  expect(numbersOf(second.recovered.entries)).toEqual([1, 2, 3]);
  expect(second.recovered.problems).toEqual([]);
  expect(readdirSync(path.join(second.folder, 'journal'))).toEqual(['0001-0001.jsonl', '0002-0001.jsonl']);
});

test('the lines of a journal have their final form on disk', () => {
  const folder = temporaryFolder();
  const first = storeIn(folder).create(loopId);
  first.append(factsOf(1));
  first.close();
  storeIn(folder).open(loopId).close();

  const read = (name: string) => readFileSync(path.join(first.folder, 'journal', name), 'utf8');
  expect(read('0001-0001.jsonl')).toMatchInlineSnapshot(`
    "{"v":1,"seq":1,"at":"2026-11-16T10:00:00.000Z","epoch":1,"type":"segment.opened","data":{"loopId":"ralph-fix-tests-a1b2c3d4","segment":"0001-0001","owner":{"host":"here","bootId":"boot","pid":4242,"startTime":"100"},"previous":null},"crc":"74d4cb9a"}
    {"v":1,"seq":2,"at":"2026-11-16T10:00:00.000Z","epoch":1,"type":"number.noted","data":{"number":1},"crc":"944e1b3c"}
    "
  `);
  expect(read('0002-0001.jsonl')).toMatchInlineSnapshot(`
    "{"v":1,"seq":3,"at":"2026-11-16T10:00:00.000Z","epoch":2,"type":"segment.opened","data":{"loopId":"ralph-fix-tests-a1b2c3d4","segment":"0002-0001","owner":{"host":"here","bootId":"boot","pid":4242,"startTime":"100"},"previous":{"segment":"0001-0001","bytes":368,"seq":2,"crc":"944e1b3c"}},"crc":"8bd49e14"}
    "
  `);
});

test('a loop opens from its snapshot and only the facts after it', () => {
  const folder = temporaryFolder();
  const first = storeIn(folder).create(loopId);
  first.append(factsOf(1, 2));
  first.writeSnapshot(documentOf(1));
  first.append(factsOf(3));
  first.close();

  using second = storeIn(folder).open(loopId);
  expect(second.recovered.snapshot).toMatchObject({ ...documentOf(1), ralphd: { streak: 0, format: 2 } });
  expect(numbersOf(second.recovered.entries)).toEqual([3]);
});

test('A173: several loops exist side by side, and anything that is not a loop of ralphd is skipped and left untouched', () => {
  const folder = temporaryFolder();
  const store = storeIn(folder);
  expect(store.list()).toEqual([]);
  using _one = store.create('ralph-b-00000002');
  using _two = store.create('ralph-a-00000001');
  const loops = path.join(folder, '.ralph', 'loops');
  mkdirSync(path.join(loops, 'ralph-foreign-00000003'));
  writeFileSync(path.join(loops, 'ralph-foreign-00000003', 'state.json'), '{"version":"2.0.0"}');
  mkdirSync(path.join(loops, 'something-else'));
  symlinkSync(path.join(loops, 'ralph-a-00000001'), path.join(loops, 'ralph-link-00000004'));

  expect(store.list()).toEqual(['ralph-a-00000001', 'ralph-b-00000002']);
  expect(() => store.create('ralph-foreign-00000003')).toThrow(/already in use/);
  expect(readdirSync(path.join(loops, 'ralph-foreign-00000003'))).toEqual(['state.json']);
  expect(readFileSync(path.join(folder, '.ralph', '.gitignore'), 'utf8')).toBe('*\n');
});

test('a missing loop is named, and a text that is not a loop id never becomes a path', () => {
  const store = storeIn(temporaryFolder());
  expect(() => store.open(loopId)).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ code: 'LOOP_NOT_FOUND' }) }),
  );
  expect(() => store.read('../../etc')).toThrow(/There is no loop/);
  expect(() => store.create('../ralph-x-00000001')).toThrow(RangeError);
});

test('a loop that exists is not created again, open or closed', () => {
  const store = storeIn(temporaryFolder());
  store.create(loopId).close();
  expect(() => store.create(loopId)).toThrow(/already in use/);
});

test('reading a loop changes nothing, and reports its owner', () => {
  const folder = temporaryFolder();
  const loop = storeIn(folder).create(loopId);
  loop.append(factsOf(1));
  const before = readdirSync(loop.folder, { recursive: true }).sort();
  const seen = storeIn(folder).read(loopId);
  expect(seen).toMatchObject({ lastSeq: 2, owner: { ...owner, epoch: 1, liveness: 'alive' } });
  expect(numbersOf(seen.entries)).toEqual([1]);
  expect(storeIn(folder, { livenessOf: () => 'dead' }).read(loopId).owner?.liveness).toBe('dead');
  expect(readdirSync(loop.folder, { recursive: true }).sort()).toEqual(before);
  loop.close();
  expect(storeIn(folder).read(loopId).owner).toBeUndefined();
});

test('A143: folders belong to their user alone (0700), and so do files (0600)', () => {
  const folder = temporaryFolder();
  using loop = storeIn(folder).create(loopId);
  loop.append(factsOf(1));
  loop.writeSnapshot(documentOf(1));
  expect(loop.iterationFolder(7, 1)).toBe(path.join(loop.folder, 'iterations/007/attempt-1'));
  const modes = readdirSync(path.join(folder, '.ralph'), { recursive: true, encoding: 'utf8' }).map((name) => {
    const stats = lstatSync(path.join(folder, '.ralph', name));
    return [name, stats.isDirectory(), (stats.mode & 0o777).toString(8)];
  });
  expect(modes.length).toBeGreaterThan(8);
  expect(modes.filter(([, isFolder, mode]) => mode !== (isFolder ? '700' : '600'))).toEqual([]);
});

test('a rotated journal reads as one', () => {
  const folder = temporaryFolder();
  const first = storeIn(folder, { segmentBytes: 400 }).create(loopId);
  for (let number = 1; number <= 20; number += 1) first.append(factsOf(number));
  first.close();
  expect(readdirSync(path.join(first.folder, 'journal')).length).toBeGreaterThan(4);
  using second = storeIn(folder).open(loopId);
  expect(numbersOf(second.recovered.entries)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  expect(second.recovered.problems).toEqual([]);
});
