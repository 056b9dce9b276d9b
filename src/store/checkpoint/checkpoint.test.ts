import { lstatSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nodeFiles, readWhole } from '../../files/index.ts';
import { systemError, watchFiles } from '../../files/testing/faulty-files.ts';
import { createMemoryFiles } from '../../files/testing/memory-files.ts';
import { temporaryFolder } from '../../files/testing/temporary-folder.ts';
import { readStored } from '../stored-documents.ts';
import { checkpointOf } from '../testing/checkpoints.ts';
import { createMemoryLock } from '../testing/memory-lock.ts';
import { documentOf, factsOf, loopId, storeIn } from '../testing/stores.ts';
import { checkpointName, iterationOf } from './names.ts';

test('A172: the name of a checkpoint has three digits, more when it takes more, and gives its iteration back', () => {
  expect(checkpointName(7)).toBe('iteration-007.json.gz');
  expect(checkpointName(12_345)).toBe('iteration-12345.json.gz');
  fc.assert(fc.property(fc.nat(), (iteration) => iterationOf(checkpointName(iteration)) === iteration));
  for (const name of [
    'iteration-07.json.gz',
    'iteration-0007.json.gz',
    'iteration-007.json',
    'iteration--07.json.gz',
  ]) {
    expect(iterationOf(name), name).toBeUndefined();
  }
});

test('A172, B092: a checkpoint is a private gzip file with a whole snapshot and its place in the journal', () => {
  using loop = storeIn(temporaryFolder()).create(loopId);
  loop.append(factsOf(1, 2));
  const file = checkpointOf(loop, 1);
  expect(path.relative(loop.folder, file)).toBe('checkpoints/iteration-001.json.gz');
  expect(lstatSync(file).mode & 0o777).toBe(0o600);
  expect(lstatSync(path.dirname(file)).mode & 0o777).toBe(0o700);
  expect(JSON.parse(gunzipSync(readFileSync(file)).toString())).toMatchObject({
    checkpoint_id: 'c1',
    ralphd: { snapshot: { loop_id: loopId, iteration: 1, ralphd: { format: 2, journal: { seq: 3 } } } },
  });
  expect(readStored(loop.place, file)).toMatchObject({ kind: 'ok', document: documentOf(1), position: { seq: 3 } });
});

test('a checkpoint keeps the place it was taken at, whatever was recorded since', () => {
  using loop = storeIn(temporaryFolder()).create(loopId);
  loop.append(factsOf(1));
  const { position } = loop;
  loop.append(factsOf(2));
  if (!position) throw new Error('no position');
  const wrap = (snapshot: object) => ({ checkpoint_id: 'c', ralphd: { snapshot } });
  const file = loop.writeCheckpoint({ iteration: 1, document: documentOf(1), position, wrap });
  expect(readStored(loop.place, file)).toMatchObject({ kind: 'ok', position });
});

test('A132: every flipped bit and every truncation of a checkpoint is noticed or changes nothing', () => {
  const files = createMemoryFiles();
  using loop = storeIn('/', { files, lock: createMemoryLock() }).create(loopId);
  loop.append(factsOf(1));
  const file = checkpointOf(loop, 1);
  const good = readStored(loop.place, file);
  const bytes = readWhole(files, file, { limit: 10_000 });
  for (let bit = 0; bit < bytes.byteLength * 8; bit += 1) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    files.overwrite(file, flipped);
    const found = readStored(loop.place, file);
    if (found.kind === 'ok') expect(found, `bit ${bit}`).toEqual(good);
  }
  for (let length = 0; length < bytes.byteLength; length += 1) {
    files.overwrite(file, bytes.subarray(0, length));
    expect(readStored(loop.place, file), `length ${length}`).toMatchObject({ kind: 'damaged' });
  }
});

test('a checkpoint whose writing fails at any call leaves the one before it in place', () => {
  for (let failing = 1; failing < 40; failing += 1) {
    let left = Number.POSITIVE_INFINITY;
    const disk = createMemoryFiles();
    const files = watchFiles(disk, () => {
      left -= 1;
      if (left === 0) throw systemError('ENOSPC');
    });
    using loop = storeIn('/', { files, lock: createMemoryLock() }).create(loopId);
    loop.append(factsOf(1));
    const file = checkpointOf(loop, 1);
    left = failing;
    const attempt = () => loop.writeCheckpoint({ ...checkpoint(loop), document: documentOf(9) });
    const isOver = passes(attempt);
    left = Number.POSITIVE_INFINITY;
    expect(readStored({ ...loop.place, files: disk }, file)).toMatchObject({ kind: 'ok' });
    if (isOver) {
      expect(failing).toBeGreaterThan(8);
      return;
    }
    expect(loop.append(factsOf(2))).toHaveLength(1);
  }
  expect.unreachable('the sweep never got past the last call');
});

function checkpoint(loop: { readonly position: unknown }) {
  const wrap = (snapshot: object) => ({ checkpoint_id: 'c', ralphd: { snapshot } });
  return { iteration: 1, position: loop.position as never, wrap };
}

function passes(attempt: () => void): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

test('a checkpoint is not written through a link', () => {
  const folder = temporaryFolder();
  using loop = storeIn(folder).create(loopId);
  loop.append(factsOf(1));
  const elsewhere = temporaryFolder();
  nodeFiles.makeFolder(path.join(elsewhere, 'real'));
  symlinkSync(path.join(elsewhere, 'real'), path.join(loop.folder, 'checkpoints'));
  expect(() => checkpointOf(loop, 1)).toThrow(/symbolic link/);
  expect(nodeFiles.list(path.join(elsewhere, 'real'))).toEqual([]);
});
