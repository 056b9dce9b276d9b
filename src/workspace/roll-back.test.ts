import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runToEnd } from '../process/index.ts';
import { createDiffStore } from './diffs/diff-store.ts';
import { takeFingerprint } from './fingerprint.ts';
import { rollBack } from './roll-back.ts';
import { emptyFolder, env, repository, type Tree } from './testing/tree.ts';

/** Something that changes a tree, and the rollback of it. */
async function worked(tree: Tree, act: () => unknown) {
  const within = tree.at('.ralph');
  tree.write('.ralph/.gitignore', '*\n');
  const place = { objects: path.join(within, 'diffs'), within, workingDirectory: tree.folder, env };
  const store = createDiffStore(place);
  const look = () => takeFingerprint(tree.folder, { env, exclude: [within] });
  const before = await look();
  await store.keep(before);
  await act();
  const kept = await store.compare(before, await look());
  const trees = kept?.trees ?? { before: '0'.repeat(40), after: '0'.repeat(40) };
  return async () => await rollBack(place, trees, 'loop/iteration-1');
}

const read = (tree: Tree, file: string) => readFileSync(tree.at(file), 'utf8');
const git = async (tree: Tree, args: string) =>
  (await runToEnd({ command: `git ${args}`, cwd: tree.folder, env })).output;

test('B058: a rollback restores what an iteration changed, also what it committed, and keeps all that was there', async () => {
  const tree = await repository();
  tree.write('dirty.txt', 'by the person, before\n');
  const undo = await worked(tree, async () => {
    tree.write('dirty.txt', 'by the agent\n');
    tree.write('new/deep.txt', 'by the agent\n');
    tree.remove('clean.txt');
    await tree.sh('git add -A && git commit -qm agent');
  });
  const head = await git(tree, 'rev-parse HEAD');
  tree.write('mine.txt', 'by the person, after\n');
  tree.write('new/deep.txt', 'edited by the person\n');

  const result = await undo();
  expect(result).toMatchObject({ ok: true, count: 3, files: ['clean.txt', 'dirty.txt', 'new/deep.txt'] });
  expect(read(tree, 'dirty.txt')).toBe('by the person, before\n');
  expect(read(tree, 'clean.txt')).toBe('clean');
  expect(existsSync(tree.at('new'))).toBe(false);
  expect(read(tree, 'mine.txt')).toBe('by the person, after\n');
  expect(await git(tree, 'rev-parse HEAD')).toBe(head);

  const backup = result.ok ? result.backup : '';
  expect(backup).toBe('refs/ralphd/loop/iteration-1-before-rollback');
  expect(await git(tree, `show ${backup}:new/deep.txt`)).toBe('edited by the person\n');
  expect(await git(tree, `show ${backup}:dirty.txt`)).toBe('by the agent\n');
  expect(await undo()).toMatchObject({ ok: true, backup: `${backup}-2` });
});

test('B058: a rollback keeps a file that the iteration made git ignore', async () => {
  const tree = await repository();
  tree.write('notes.txt', 'one\n');
  const undo = await worked(tree, () => {
    tree.write('notes.txt', 'two\n');
    tree.write('.gitignore', 'notes.txt\n');
  });
  tree.write('notes.txt', 'three\n');
  const result = await undo();
  expect(result).toMatchObject({ ok: true });
  expect(read(tree, 'notes.txt')).toBe('one\n');
  expect(await git(tree, 'show refs/ralphd/loop/iteration-1-before-rollback:notes.txt')).toBe('three\n');
});

test('B058: a rollback that git cannot do, or whose contents were not kept, changes nothing and says why', async () => {
  const tree = await repository();
  tree.write('large.txt', 'line\n'.repeat(300_000));
  const undo = await worked(tree, () => tree.write('large.txt', 'small\n'));
  expect(await undo()).toEqual({ ok: false, message: 'large.txt was too large to be kept' });
  expect(read(tree, 'large.txt')).toBe('small\n');
  expect(await git(tree, 'for-each-ref refs/ralphd')).toBe('');

  const outside = emptyFolder();
  outside.write('a.txt', 'one\n');
  const never = await worked(outside, () => outside.write('a.txt', 'two\n'));
  expect(await never()).toMatchObject({ ok: false });
  expect(read(outside, 'a.txt')).toBe('two\n');
});
