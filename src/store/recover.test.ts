import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../files/testing/temporary-folder.ts';
import type { OpenLoop } from './open-loop.ts';
import { checkpointOf } from './testing/checkpoints.ts';
import { code } from './testing/failing.ts';
import { documentOf, factsOf, loopId, numbersOf, storeIn } from './testing/stores.ts';

/** Facts 1 to 6 in three segments; a checkpoint after 2 and after 4, a backup after 3, a snapshot after 5. */
function richLoop() {
  const root = temporaryFolder();
  const loop = storeIn(root, { segmentBytes: 400 }).create(loopId);
  const backup = (iteration: number) => {
    loop.writeSnapshot(documentOf(iteration));
    return loop.backUp({ compress: false, maxBackups: 5 }).file;
  };
  loop.append(factsOf(1, 2));
  const first = checkpointOf(loop, 2);
  loop.append(factsOf(3));
  const saved = backup(3);
  loop.append(factsOf(4));
  const second = checkpointOf(loop, 4);
  loop.append(factsOf(5));
  loop.writeSnapshot(documentOf(5));
  loop.append(factsOf(6));
  loop.close();
  const state = path.join(loop.folder, 'state.json');
  const segments = readdirSync(path.join(loop.folder, 'journal')).sort();
  return { root, folder: loop.folder, state, first, second, saved, segments };
}

function opened(root: string): Pick<OpenLoop, 'recovered' | 'recoveredFrom'> {
  using loop = storeIn(root).open(loopId);
  return { recovered: loop.recovered, recoveredFrom: loop.recoveredFrom };
}

test('R22, A132: a damaged snapshot is replaced by the newest checkpoint and what follows it', () => {
  const { root, state, second, folder } = richLoop();
  writeFileSync(state, 'garbage');
  const { recovered, recoveredFrom } = opened(root);
  expect(recoveredFrom).toEqual({ kind: 'checkpoint', file: second });
  expect(recovered.snapshot).toMatchObject(documentOf(4));
  expect(numbersOf(recovered.entries)).toEqual([5, 6]);
  expect(recovered.problems.map(({ kind }) => kind)).toEqual(['snapshot_damaged', 'rebuilt']);
  expect(readdirSync(folder).filter((name) => name.startsWith('state.json.broken-'))).toHaveLength(1);
});

test('B118: when the newer copies are damaged too, an older one serves, and each is named', () => {
  const { root, state, second, saved } = richLoop();
  rmSync(state);
  writeFileSync(second, readFileSync(second).subarray(0, 40));
  const { recovered, recoveredFrom } = opened(root);
  expect(recoveredFrom).toEqual({ kind: 'backup', file: saved });
  expect(numbersOf(recovered.entries)).toEqual([4, 5, 6]);
  expect(recovered.problems.map(({ kind, file }) => [kind, file])).toEqual([
    ['copy_damaged', second],
    ['rebuilt', saved],
  ]);
});

test('a copy saves a loop whose journal has lost its beginning', () => {
  const { root, folder, state, segments } = richLoop();
  rmSync(state);
  rmSync(path.join(folder, 'journal', segments[0] ?? ''));
  const { recovered } = opened(root);
  expect(recovered.snapshot).toMatchObject(documentOf(4));
  expect(numbersOf(recovered.entries)).toEqual([5, 6]);
});

test('a copy alone brings a loop back whose journal and snapshot are gone', () => {
  const { root, folder, state } = richLoop();
  rmSync(state);
  rmSync(path.join(folder, 'journal'), { recursive: true });
  expect(storeIn(root).list()).toEqual([loopId]);
  const { recovered } = opened(root);
  expect(recovered.snapshot).toMatchObject(documentOf(4));
  expect(recovered.entries).toEqual([]);
  expect(recovered.problems.at(-1)?.message).toContain('checkpoints/iteration-004.json.gz alone');
});

test('without any good copy the journal alone decides', () => {
  const { root, state, first, second, saved } = richLoop();
  for (const file of [state, first, second, saved]) writeFileSync(file, 'garbage');
  const { recovered, recoveredFrom } = opened(root);
  expect(recoveredFrom.kind).toBe('journal');
  expect(recovered.snapshot).toBeUndefined();
  expect(numbersOf(recovered.entries)).toEqual([1, 2, 3, 4, 5, 6]);
});

test('B118: with nothing good left a loop is refused, every file is named and nothing is touched', () => {
  const { root, folder, state, first, second, saved } = richLoop();
  rmSync(path.join(folder, 'journal'), { recursive: true });
  for (const file of [state, first, second, saved]) writeFileSync(file, 'garbage');
  const before = readdirSync(folder, { recursive: true }).sort();
  for (const file of [state, first, second, saved]) {
    expect(() => storeIn(root).open(loopId)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(file) }),
    );
  }
  expect(() => storeIn(root).open(loopId)).toThrow(code('STATE_UNRECOVERABLE'));
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(before);
});

test('recovering twice equals recovering once', () => {
  const { root, state } = richLoop();
  writeFileSync(state, 'garbage');
  const { recovered: once } = opened(root);
  const { recovered: twice } = opened(root);
  expect(twice.snapshot).toEqual(once.snapshot);
  expect(twice.entries).toEqual(once.entries);
  expect(twice.problems.map(({ kind }) => kind)).toEqual(['rebuilt']);
});

test('a copy that a process wrote after it had lost the loop is passed over', () => {
  const { root, folder, state, first, segments } = richLoop();
  // The history went on from after fact 2, as after a restore to the first checkpoint.
  storeIn(root)
    .restore(loopId, first, () => [])
    .open.close();
  rmSync(state, { force: true });
  const { recovered, recoveredFrom } = opened(root);
  expect(recoveredFrom).toEqual({ kind: 'checkpoint', file: first });
  expect(recovered.entries).toEqual([]);
  expect(readdirSync(path.join(folder, 'journal')).filter((name) => segments.includes(name))).toHaveLength(1);
});

test('A119: a copy of a newer format is refused like a snapshot of one, and nothing is touched', () => {
  const { root, folder, state, second } = richLoop();
  writeFileSync(state, 'garbage');
  const document = JSON.parse(gunzipSync(readFileSync(second)).toString()) as {
    ralphd: { snapshot: { ralphd: object } };
  };
  document.ralphd.snapshot.ralphd = { ...document.ralphd.snapshot.ralphd, format: 99 };
  writeFileSync(second, gzipSync(JSON.stringify(document)));
  expect(() => storeIn(root).open(loopId)).toThrow(code('STATE_NEWER_VERSION'));
  expect(readFileSync(state, 'utf8')).toBe('garbage');
  expect(readdirSync(folder)).not.toContain('owner.json');
});
