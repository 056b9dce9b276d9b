import { randomUUID } from 'node:crypto';
import { rmSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { GateTask } from '../../core/index.ts';
import { configSchema, type LoopConfigInput } from '../../protocol/index.ts';
import { emptyFolder, env, repository, type Tree } from '../../workspace/testing/tree.ts';
import type { StartFile } from '../setting.ts';
import { readFolder } from './bind.ts';
import { createStartTree } from './start.ts';

/** A file in memory that survives owners. */
function startFile(): StartFile & { content?: Uint8Array } {
  return {
    save(bytes) {
      this.content = bytes;
    },
    load() {
      return this.content;
    },
  };
}

/** One owner of a loop: captures the start, and compares the work with it. */
function owner(tree: Tree, file: StartFile, input: LoopConfigInput = {}) {
  const config = configSchema.parse(input);
  const setting = { config, workingDirectory: tree.folder, env, uuid: randomUUID(), loopId: 'x', startFile: file };
  const start = createStartTree(setting);
  const compare = async (task: Pick<GateTask, 'start' | 'checkWrites'>) =>
    start.compare(await readFolder(tree.folder, setting), task);
  return { capture: start.capture, compare };
}

test('R6: a file that was changed and restored since the loop began is not a change, also for a later owner', async () => {
  const tree = emptyFolder();
  const file = startFile();
  tree.write('a.txt', '1');
  const first = owner(tree, file);
  const start = await first.capture();
  expect(await first.compare({ start })).toEqual({ changedFiles: 0, editedTests: [] });
  tree.write('a.txt', '2');
  tree.write('b.txt', '');
  expect(await first.compare({ start })).toMatchObject({ changedFiles: 2 });
  tree.write('a.txt', '1');
  const second = owner(tree, file);
  expect(await second.compare({ start })).toMatchObject({ changedFiles: 1 });
  // Files written by checks are not work.
  expect(await second.compare({ start, checkWrites: ['b.txt'] })).toMatchObject({ changedFiles: 0 });
});

test('R6: an empty commit and ignored files are not a change, and committed work is one', async () => {
  const tree = await repository();
  const { capture, compare } = owner(tree, startFile());
  const start = await capture();
  await tree.sh('git commit -q --allow-empty -m nothing');
  tree.write('test.log', 'x');
  expect(await compare({ start })).toMatchObject({ changedFiles: 0 });
  tree.write('clean.txt', 'work');
  await tree.sh('git commit -qm work clean.txt');
  expect(await compare({ start })).toMatchObject({ changedFiles: 1 });
  await tree.sh('git revert --no-edit HEAD');
  expect(await compare({ start })).toMatchObject({ changedFiles: 0 });
});

const hiding: readonly [string, (tree: Tree) => Promise<void>][] = [
  ['assume-unchanged', (tree) => tree.sh('git update-index --assume-unchanged tests/a.txt')],
  ['skip-worktree', (tree) => tree.sh('git update-index --skip-worktree tests/a.txt')],
  ['a commit', (tree) => tree.sh('git commit -qam x')],
  ['an exclude file', (tree) => tree.sh('git rm -q --cached tests/a.txt && echo /other >> .git/info/exclude')],
  ['a replaced .git', (tree) => tree.sh('rm -rf .git && git init -q && git add -A && git commit -qm new')],
  ['no .git at all', (tree) => tree.sh('rm -rf .git')],
];

test.each(hiding)('R6, B132: an edited test is reported although %s hides it from git', async (_what, hide) => {
  const tree = await repository();
  tree.write('tests/a.txt', 'strict');
  await tree.sh('git add -A && git commit -qm tests');
  const { capture, compare } = owner(tree, startFile());
  const start = await capture();
  tree.write('tests/a.txt', 'lax');
  await hide(tree);
  expect(await compare({ start })).toMatchObject({ editedTests: ['tests/a.txt'] });
});

test('R6: the start of the loop is unknown when its file is lost or forged, was never saved, or tracking is off', async () => {
  const tree = emptyFolder();
  const file = startFile();
  tree.write('a.txt', '1');
  const start = await owner(tree, file).capture();
  expect(await owner(tree, startFile()).compare({ start })).toEqual({});
  expect(await owner(tree, file).compare({})).toEqual({});
  tree.write('a.txt', '2');
  const forged = startFile();
  await owner(tree, forged).capture();
  expect(await owner(tree, forged).compare({ start })).toEqual({});
  const unwatched = owner(tree, startFile(), { iteration: { trackFileChanges: false } });
  expect(await unwatched.capture()).toBeUndefined();
});

test('R6: new files that the user would not get are reported: links out, links to ignored files, nested repositories', async () => {
  const tree = await repository();
  symlinkSync('/etc/hostname', tree.at('old-link'));
  const { capture, compare } = owner(tree, startFile());
  const start = await capture();
  expect(await compare({ start })).not.toHaveProperty('warnings');
  rmSync(tree.at('clean.txt'));
  symlinkSync('/etc/hostname', tree.at('clean.txt'));
  tree.write('noise.log', '');
  symlinkSync('noise.log', tree.at('kept.txt'));
  tree.write('inner/a.txt', '');
  await tree.sh('cd inner && git init -q');
  expect((await compare({ start })).warnings).toEqual([
    'clean.txt is a link that leads out of the work tree.',
    'A nested repository was changed: inner.',
    'Links point to files that are not part of the work: kept.txt.',
  ]);
});
