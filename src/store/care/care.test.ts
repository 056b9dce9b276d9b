import { chmodSync, existsSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { nodeCareFiles } from '../../files/index.ts';
import { temporaryFolder } from '../../files/testing/temporary-folder.ts';
import { sqliteLock } from '../lock/sqlite-lock.ts';
import { checkpointOf } from '../testing/checkpoints.ts';
import { factsOf, loopId, storeIn } from '../testing/stores.ts';
import { type CarePlace, leftoversOf, leftoversOfRoot, removeLeftovers, removeLoop, whileUnowned } from './collect.ts';
import { findOddities, isLockHeld } from './examine.ts';

const longAgo = new Date('2026-01-01T00:00:00Z');
const beforeMs = Date.parse('2026-06-01T00:00:00Z');

function oldLoop(): CarePlace {
  const loop = storeIn(temporaryFolder()).create(loopId);
  loop.append(factsOf(1));
  for (let iteration = 1; iteration <= 8; iteration += 1) {
    utimesSync(checkpointOf(loop, iteration), longAgo, longAgo);
  }
  loop.close();
  return { ...loop.place, files: nodeCareFiles };
}

function age(...names: readonly string[]): string {
  const file = path.join(...names);
  writeFileSync(file, 'x');
  utimesSync(file, longAgo, longAgo);
  return file;
}

test('B094, A133: of old checkpoints the five newest and those that are kept on purpose stay', () => {
  const place = oldLoop();
  const isKept = ({ checkpoint_id }: Readonly<Record<string, unknown>>) => checkpoint_id === 'c2';
  const leftovers = leftoversOf(place, { beforeMs, isKept });
  expect(leftovers.map((each) => path.basename(each.path))).toEqual(['iteration-003.json.gz', 'iteration-001.json.gz']);
  removeLeftovers(nodeCareFiles, leftovers);
  expect(readdirSync(path.join(place.folder, 'checkpoints'))).toHaveLength(6);
  expect(leftoversOf(place, { beforeMs, isKept })).toEqual([]);
});

test('B094: nothing younger than the retention goes', () => {
  const place = oldLoop();
  expect(leftoversOf(place, { beforeMs: longAgo.getTime() - 1, isKept: () => false })).toEqual([]);
});

test('A133: old temporary and damaged files go, young ones, links and everything else stay', () => {
  const place = oldLoop();
  const { folder } = place;
  const scraps = [
    age(folder, '.state.json.abc.tmp'),
    age(folder, 'state.json.broken-20260101T000000Z-abc'),
    age(folder, 'journal', '0001-0001.jsonl.120.broken'),
  ];
  age(folder, 'journal', '0001-0001.jsonl.120.superseded');
  age(folder, 'notes.txt');
  writeFileSync(path.join(folder, '.owner.json.def.tmp'), 'young');
  symlinkSync(path.join(folder, 'notes.txt'), path.join(folder, 'link.broken'));
  const leftovers = leftoversOf(place, { beforeMs, isKept: () => true });
  expect(leftovers.map((each) => each.path).sort()).toEqual([...scraps].sort());
});

test('A127, A142: a removed loop is gone at once and whole; what an interrupted removal left is found later', () => {
  const place = oldLoop();
  whileUnowned(place, sqliteLock, () => removeLoop(place));
  expect(readdirSync(path.dirname(place.folder))).toEqual([]);

  const half = path.join(path.dirname(place.folder), `.${loopId}.abc.removed`);
  nodeCareFiles.makeFolder(half);
  age(half, 'state.json');
  const retention = { beforeMs, isKept: () => false };
  expect(leftoversOfRoot(nodeCareFiles, place.root, retention)).toEqual([
    { path: half, bytes: 1, why: 'a removed loop' },
  ]);
  removeLeftovers(nodeCareFiles, leftoversOfRoot(nodeCareFiles, place.root, retention));
  expect(existsSync(half)).toBe(false);
});

test('A133: what a restore left when it was cut off goes when it is old', () => {
  const place = oldLoop();
  const loops = path.dirname(place.folder);
  const [old, young] = ['.restoring-0123456789ab.tmp', '.restoring-ba9876543210.tmp'].map((name) =>
    path.join(loops, name),
  ) as [string, string];
  for (const folder of [old, young]) nodeCareFiles.makeFolder(folder);
  age(old, 'state.json');
  utimesSync(old, longAgo, longAgo);
  const retention = { beforeMs, isKept: () => false };
  expect(leftoversOfRoot(nodeCareFiles, place.root, retention)).toEqual([
    { path: old, bytes: 1, why: 'a restore that was cut off' },
  ]);
});

test('removing a loop never follows a link out of it', () => {
  const place = oldLoop();
  const outside = temporaryFolder();
  writeFileSync(path.join(outside, 'precious'), 'x');
  symlinkSync(outside, path.join(place.folder, 'link'));
  removeLoop(place);
  expect(readdirSync(outside)).toEqual(['precious']);
});

test('a loop with an owner is not cleaned up', () => {
  const root = temporaryFolder();
  using loop = storeIn(root).create(loopId);
  const place = { ...loop.place, files: nodeCareFiles };
  expect(isLockHeld(place, sqliteLock)).toBe(true);
  expect(() => whileUnowned(place, sqliteLock, () => removeLoop(place))).toThrow(/already being driven/);
  loop.close();
  expect(isLockHeld(place, sqliteLock)).toBe(false);
});

test('what others may read, links and files of other kinds are found', () => {
  const place = oldLoop();
  expect(findOddities(nodeCareFiles, place.folder)).toEqual([]);
  const state = age(place.folder, 'state.json');
  chmodSync(state, 0o644);
  chmodSync(place.folder, 0o755);
  symlinkSync('/', path.join(place.folder, 'link'));
  expect(
    findOddities(nodeCareFiles, place.folder).map(({ path: where, kind }) => [path.basename(where), kind]),
  ).toEqual(
    expect.arrayContaining([
      [loopId, 'open_to_others'],
      ['state.json', 'open_to_others'],
      ['link', 'link'],
    ]),
  );
});
