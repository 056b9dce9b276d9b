import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type FilePort, nodeFiles } from '../../files/index.ts';
import { temporaryFolder } from '../../files/testing/temporary-folder.ts';
import { code } from '../testing/failing.ts';
import { documentOf, factsOf, loopId, numbersOf, storeIn } from '../testing/stores.ts';

/** A store whose loops have a copy outside the project. */
function guardedStore(segmentBytes = 400) {
  const folder = temporaryFolder();
  const mirrorRoot = path.join(temporaryFolder(), 'mirror');
  const store = () => storeIn(folder, { mirrorRoot, segmentBytes });
  const root = path.join(folder, '.ralph');
  const loop = path.join(root, 'loops', loopId);
  return { store, root, loop, journal: path.join(loop, 'journal'), copies: path.join(mirrorRoot, loopId) };
}

const restoredOf = (entries: readonly { readonly type: string }[]) =>
  entries.filter(({ type }) => type === 'state.restored').length;
const facts = (entries: readonly { readonly type: string; readonly data: unknown }[]) =>
  numbersOf(entries.filter(({ type }) => type === 'number.noted'));

test.for<[string, (at: ReturnType<typeof guardedStore>) => void]>([
  ['everything is deleted', ({ root }) => rmSync(root, { recursive: true })],
  ['the journal is deleted', ({ journal }) => rmSync(journal, { recursive: true })],
  ['the lock is deleted', ({ loop }) => rmSync(path.join(loop, 'lock'))],
  ['the newest segment is cut', ({ journal }) => truncateSync(newest(journal), 20)],
  [
    'the newest segment becomes a folder',
    ({ journal }) => {
      const file = newest(journal);
      rmSync(file);
      mkdirSync(file);
    },
  ],
  [
    'the loop becomes a link',
    ({ loop, root }) => {
      rmSync(loop, { recursive: true });
      symlinkSync(root, loop);
    },
  ],
])('A132, R22: when %s under an owner, the next append puts it back and reports it', ([, harm]) => {
  const at = guardedStore();
  using loop = at.store().create(loopId);
  for (const number of [1, 2, 3, 4]) loop.append(factsOf(number));
  harm(at);
  expect(numbersOf(loop.append(factsOf(5)).slice(-1))).toEqual([5]);
  loop.append(factsOf(6));
  const { entries, problems } = at.store().read(loopId);
  expect(problems).toEqual([]);
  expect(facts(entries)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(restoredOf(entries)).toBe(1);
});

test('A132: after "git clean -fdx" the state folder keeps out of commits again', () => {
  const at = guardedStore();
  const ignored = () => readFileSync(path.join(at.root, '.gitignore'), 'utf8');
  using loop = at.store().create(loopId);
  loop.append(factsOf(1));
  rmSync(at.root, { recursive: true });
  const [restored] = loop.append(factsOf(2));
  expect(ignored()).toBe('*\n');
  expect(restored?.data).toMatchObject({
    what: expect.arrayContaining([expect.stringMatching(/\.gitignore was missing/)]),
  });
  rmSync(path.join(at.root, '.gitignore'));
  loop.iterationFolder(1, 1);
  expect(ignored()).toBe('*\n');
});

test('R22: what an agent cuts off before it was copied is restored anyway', () => {
  const folder = temporaryFolder();
  const journal = path.join(folder, '.ralph', 'loops', loopId, 'journal');
  let harm = () => {};
  // The agent is quicker than the copy: it acts as soon as the fact is on disk.
  const files: FilePort = {
    ...nodeFiles,
    syncData(file) {
      nodeFiles.syncData(file);
      harm();
    },
  };
  const store = storeIn(folder, { files, mirrorRoot: path.join(temporaryFolder(), 'mirror') });
  using loop = store.create(loopId);
  loop.append(factsOf(1));
  harm = () => truncateSync(newest(journal), 20);
  loop.append(factsOf(2));
  harm = () => {};
  loop.append(factsOf(3));
  expect(facts(store.read(loopId).entries)).toEqual([1, 2, 3]);
});

test('A131: a loop whose files were damaged while no process ran it is restored by the next owner, which reports it', () => {
  const at = guardedStore();
  const loop = at.store().create(loopId);
  for (const number of [1, 2, 3, 4]) loop.append(factsOf(number));
  loop.close();
  rmSync(newest(at.journal));
  expect(facts(at.store().read(loopId).entries)).not.toContain(4);
  using next = at.store().open(loopId);
  expect(facts(next.recovered.entries)).toEqual([1, 2, 3, 4]);
  expect(next.recovered.problems).toMatchObject([
    {
      kind: 'rebuilt',
      message: expect.stringMatching(/^While no process drove the loop, .* was missing and has been restored/),
    },
  ]);
});

test('a copy that is outdated or damaged never replaces sound state', () => {
  const at = guardedStore(100_000);
  const loop = at.store().create(loopId);
  loop.append(factsOf(1));
  const copy = newest(at.copies);
  const early = readFileSync(copy);
  loop.append(factsOf(2, 3));
  for (const bytes of [early, Buffer.from('x'.repeat(5000)), readFileSync(copy).fill('?', 40, 60)]) {
    writeFileSync(copy, bytes);
    rmSync(path.join(at.loop, 'lock'));
    loop.append(factsOf(9));
    expect(facts(at.store().read(loopId).entries).slice(0, 3)).toEqual([1, 2, 3]);
  }
  loop.close();
  using next = at.store().open(loopId);
  expect(facts(next.recovered.entries)).toEqual([1, 2, 3, 9, 9, 9]);
});

test('A132: a copy in which nothing is sound does not make a lost loop look new', () => {
  const at = guardedStore();
  const loop = at.store().create(loopId);
  loop.append(factsOf(1));
  loop.close();
  for (const name of readdirSync(at.copies)) writeFileSync(path.join(at.copies, name), 'nothing');
  rmSync(at.root, { recursive: true });
  expect(() => at.store().open(loopId)).toThrow(code('STATE_UNRECOVERABLE'));
});

test('what a restore left behind, and what a deleted loop of the same name had, is not in the copy any more', () => {
  const at = guardedStore();
  const loop = at.store().create(loopId);
  loop.append(factsOf(1, 2));
  loop.writeSnapshot(documentOf(1));
  const { file } = loop.backUp({ compress: false, maxBackups: 3 });
  for (const number of [3, 4, 5]) loop.append(factsOf(number));
  loop.close();
  const { open } = at.store().restore(loopId, file, () => []);
  open.append(factsOf(30));
  open.close();
  expect(readdirSync(at.copies)).toEqual(readdirSync(at.journal).filter((name) => name.endsWith('.jsonl')));

  rmSync(at.root, { recursive: true });
  using again = at.store().create(loopId);
  again.append(factsOf(100));
  expect(readdirSync(at.copies)).toEqual(['0001-0001.jsonl']);
  expect(facts(at.store().read(loopId).entries)).toEqual([100]);
});

test('an ended loop leaves nothing outside its folder', () => {
  const at = guardedStore();
  const loop = at.store().create(loopId);
  loop.append(factsOf(1));
  loop.forget();
  loop.close();
  expect(existsSync(at.copies) ? readdirSync(at.copies) : []).toEqual([]);
});

function newest(folder: string): string {
  return path.join(
    folder,
    readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .sort()
      .at(-1) ?? '',
  );
}
