import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { nodeFiles } from '../../files/index.ts';
import { systemError, watchFiles } from '../../files/testing/faulty-files.ts';
import { temporaryFolder } from '../../files/testing/temporary-folder.ts';
import type { OpenLoop } from '../open-loop.ts';
import { storedDocuments } from '../stored-documents.ts';
import { checkpointOf } from '../testing/checkpoints.ts';
import { code } from '../testing/failing.ts';
import { factsOf, loopId, numbersOf, storeIn } from '../testing/stores.ts';

const none = () => false;

function left(loop: OpenLoop): readonly number[] {
  return readdirSync(path.join(loop.folder, 'checkpoints')).map((name) => Number(/\d+/.exec(name)?.[0]));
}

test('A133, B094: a running loop keeps its five newest checkpoints, and those kept on purpose', () => {
  using loop = storeIn(temporaryFolder()).create(loopId);
  const isKept = ({ checkpoint_id }: Readonly<Record<string, unknown>>) => checkpoint_id === 'c2';
  for (let iteration = 1; iteration <= 30; iteration += 1) {
    loop.append(factsOf(iteration));
    checkpointOf(loop, iteration);
    loop.pruneCheckpoints(isKept);
  }
  expect(left(loop)).toEqual([2, 26, 27, 28, 29, 30]);
});

test('A133, R22: the newest checkpoint that can be read stays, however many damaged ones are newer', () => {
  const folder = temporaryFolder();
  const loop = storeIn(folder).create(loopId);
  for (const iteration of [1, 2, 3]) {
    loop.append(factsOf(iteration));
    checkpointOf(loop, iteration);
  }
  for (const iteration of [4, 5, 6, 7, 8]) writeFileSync(checkpointOf(loop, iteration), 'damaged');
  expect(loop.pruneCheckpoints(none).map((file) => path.basename(file))).toEqual([
    'iteration-002.json.gz',
    'iteration-001.json.gz',
  ]);
  expect(left(loop)).toEqual([3, 4, 5, 6, 7, 8]);
  loop.append(factsOf(9));
  loop.close();
  using again = storeIn(folder).open(loopId);
  expect(again.recovered.snapshot).toMatchObject({ iteration: 3 });
  expect(numbersOf(again.recovered.entries)).toEqual([9]);
});

test('A133: the checkpoint written just now is not read again; newer ones are, and only what is removed besides', () => {
  const read: unknown[] = [];
  const watched = watchFiles(nodeFiles, ({ name, path: place }) => {
    if (name === 'openToRead') read.push(path.basename(place ?? ''));
  });
  using loop = storeIn(temporaryFolder(), { files: watched }).create(loopId);
  loop.append(factsOf(1));
  const files = [1, 2, 3, 4, 5, 6, 7].map((iteration) => checkpointOf(loop, iteration));
  read.length = 0;
  expect(loop.pruneCheckpoints(none, files[6])).toHaveLength(2);
  expect(read).toEqual(['iteration-002.json.gz', 'iteration-001.json.gz']);
  for (const iteration of [8, 9, 10, 11]) writeFileSync(checkpointOf(loop, iteration), 'damaged');
  expect(loop.pruneCheckpoints(none, files[4])).toHaveLength(4);
  expect(left(loop)).toEqual([7, 8, 9, 10, 11]);
});

test('A133: a checkpoint that cannot be removed is one of our failures, and the newer ones are untouched', () => {
  const refuse = watchFiles(nodeFiles, ({ name, path: place }) => {
    if (name === 'remove' && place?.endsWith('.gz') === true) throw systemError('EACCES');
  });
  using loop = storeIn(temporaryFolder(), { files: refuse }).create(loopId);
  loop.append(factsOf(1));
  for (let iteration = 1; iteration <= 7; iteration += 1) checkpointOf(loop, iteration);
  expect(() => loop.pruneCheckpoints(none)).toThrow(code('STATE_WRITE_FAILED'));
  expect(left(loop)).toHaveLength(7);
});

test('R22: what a restore leaves behind is no checkpoint of the loop any more, so that newer ones are not pruned for it', () => {
  const folder = temporaryFolder();
  const loop = storeIn(folder).create(loopId);
  const files = [1, 2, 3, 4, 5, 6, 7].map((iteration) => {
    loop.append(factsOf(iteration));
    return checkpointOf(loop, iteration);
  });
  loop.close();
  const { open, superseded } = storeIn(folder).restore(loopId, files[1] ?? '', () => []);
  using restored = open;
  expect(superseded.filter((name) => name.startsWith('checkpoints/'))).toHaveLength(5);
  restored.append(factsOf(30));
  checkpointOf(restored, 3);
  restored.pruneCheckpoints(none);
  expect(left(restored).slice(0, 2)).toEqual([1, 2]);
  expect(readdirSync(path.join(restored.folder, 'checkpoints'))).toContain('iteration-003.json.gz');
});

test('a reader does not report copies as damaged that an owner removes at the same time', () => {
  let isDisturbed = false;
  const folder = temporaryFolder();
  using loop = storeIn(folder).create(loopId);
  loop.append(factsOf(1));
  const files = [1, 2, 3, 4, 5, 6].map((iteration) => checkpointOf(loop, iteration));
  const disturbed = watchFiles(nodeFiles, ({ name, path: place }) => {
    if (name !== 'openToRead' || place !== files[0]) return;
    isDisturbed = true;
    loop.pruneCheckpoints(none);
  });
  const copies = [...storedDocuments({ ...loop.place, files: disturbed })];
  expect(isDisturbed).toBe(true);
  expect(copies.map((copy) => 'problem' in copy)).toEqual([false, false, false, false, false]);
});
