import { chmodSync, renameSync, statSync, symlinkSync, truncateSync, utimesSync } from 'node:fs';
import { expect, test } from 'vitest';
import { changesBy, linesOf, repository, type Tree } from './testing/tree.ts';

/** The state before, the action, and the changes it causes. */
interface Situation {
  readonly title: string;
  readonly given?: (tree: Tree) => unknown;
  readonly act: (tree: Tree) => unknown;
  readonly expected: readonly string[];
}

const edits: readonly Situation[] = [
  { title: 'nothing', act: () => {}, expected: [] },
  { title: 'a clean file is edited', act: (tree) => tree.write('clean.txt', 'edited'), expected: ['M clean.txt'] },
  {
    title: 'a changed file is changed again',
    act: (tree) => tree.write('dirty.txt', 'twice'),
    expected: ['M dirty.txt'],
  },
  {
    title: 'an edit keeps the size',
    act: (tree) => tree.write('dirty.txt', 'changed 0nce'),
    expected: ['M dirty.txt'],
  },
  {
    title: 'an edit keeps size and modification time',
    given: (tree) => tree.sh('touch -d @1000 clean.txt && git update-index clean.txt'),
    act: editInAnotherSecond,
    expected: ['M clean.txt'],
  },
  {
    title: 'a changed file is restored',
    act: (tree) => tree.sh('git checkout -q dirty.txt'),
    expected: ['M dirty.txt'],
  },
  { title: 'a file is only touched', act: (tree) => utimesSync(tree.at('clean.txt'), 1, 1), expected: [] },
  {
    title: 'a file is rewritten with the same content',
    act: (tree) => tree.write('dirty.txt', 'changed once'),
    expected: [],
  },
  {
    title: 'a file is deleted and created again with the same content',
    act: (tree) => {
      tree.remove('clean.txt');
      tree.write('clean.txt', 'clean');
    },
    expected: [],
  },
  { title: 'a file is deleted', act: (tree) => tree.remove('clean.txt'), expected: ['D clean.txt'] },
  {
    title: 'a file is renamed without telling git',
    act: (tree) => renameSync(tree.at('clean.txt'), tree.at('moved.txt')),
    expected: ['A moved.txt', 'D clean.txt'],
  },
  {
    title: 'a file becomes executable',
    act: (tree) => chmodSync(tree.at('clean.txt'), 0o755),
    expected: ['M clean.txt'],
  },
  {
    title: 'a file becomes a link',
    act: (tree) => {
      tree.remove('clean.txt');
      symlinkSync('dirty.txt', tree.at('clean.txt'));
    },
    expected: ['M clean.txt'],
  },
  {
    title: 'a link gets another target',
    given: (tree) => tree.sh('ln -s clean.txt link && git add link && git commit -qm link'),
    act: (tree) => tree.sh('ln -sfn dirty.txt link'),
    expected: ['M link'],
  },
  {
    title: 'a file becomes a folder',
    act: (tree) => {
      tree.remove('clean.txt');
      tree.write('clean.txt/in.txt', 'x');
    },
    expected: ['A clean.txt/in.txt', 'D clean.txt'],
  },
  {
    title: 'a folder becomes a file',
    act: (tree) => {
      tree.remove('package');
      tree.write('package', 'x');
    },
    expected: ['A package', 'D package/inner.txt'],
  },
  { title: 'a new file is not tracked', act: (tree) => tree.write('new/deep/file', ''), expected: ['A new/deep/file'] },
  { title: 'an empty folder appears', act: (tree) => tree.sh('mkdir empty'), expected: [] },
  { title: 'a pipe appears, which git does not see', act: (tree) => tree.sh('mkfifo pipe'), expected: [] },
  {
    title: 'pipes take the names of files that git reads, which then count as empty',
    act: (tree) => tree.sh('touch debug.log && rm .gitignore && mkfifo .gitignore package/.gitignore .gitattributes'),
    expected: ['M .gitignore', 'A debug.log'],
  },
  { title: 'a name is not UTF-8', act: (tree) => tree.sh('touch "$(printf \'odd\\377\')"'), expected: ['A odd\uFFFD'] },
  { title: 'a name has a line break', act: (tree) => tree.write('odd\n"name', 'x'), expected: ['A odd\n"name'] },
  {
    title: 'a file too large to read grows',
    given: (tree) => {
      tree.write('huge.bin', '');
      truncateSync(tree.at('huge.bin'), 2 ** 40);
    },
    act: (tree) => truncateSync(tree.at('huge.bin'), 2 ** 40 + 1),
    expected: ['M huge.bin'],
  },
];

/** Only the change time reveals such an edit, and git records it in whole seconds. */
async function editInAnotherSecond(tree: Tree): Promise<void> {
  const second = () => Math.floor(statSync(tree.at('clean.txt')).ctimeMs / 1_000);
  const recorded = second();
  const edit = async () => {
    tree.write('clean.txt', 'CLEAN');
    await tree.sh('touch -d @1000 clean.txt');
    return second();
  };
  await expect.poll(edit).not.toBe(recorded);
}

const ignored: readonly Situation[] = [
  { title: 'an ignored file appears', act: (tree) => tree.write('debug.log', 'noise'), expected: [] },
  {
    title: 'a file is not ignored any longer: it appears',
    given: (tree) => tree.write('debug.log', 'noise'),
    act: (tree) => tree.write('.gitignore', ''),
    expected: ['M .gitignore', 'A debug.log'],
  },
  {
    title: 'a file is ignored from now on: it still exists',
    given: (tree) => tree.write('new.txt', 'x'),
    act: (tree) => tree.write('.gitignore', '*.log\nnew.txt\n'),
    expected: ['M .gitignore'],
  },
  {
    title: 'a file is ignored from now on, and deleted',
    given: (tree) => tree.write('new.txt', 'x'),
    act: (tree) => {
      tree.write('.gitignore', '*.log\nnew.txt\n');
      tree.remove('new.txt');
    },
    expected: ['M .gitignore', 'D new.txt'],
  },
  {
    title: 'a tracked file is untracked and ignored: it still exists',
    act: (tree) => tree.sh('echo clean.txt >> .gitignore && git rm -q --cached clean.txt && git commit -qam out'),
    expected: ['head', 'M .gitignore'],
  },
  {
    title: 'a tracked file that matches an ignore rule is edited',
    given: (tree) => tree.sh('touch kept.log && git add -f kept.log && git commit -qm log'),
    act: (tree) => tree.write('kept.log', 'x'),
    expected: ['M kept.log'],
  },
];

const index: readonly Situation[] = [
  { title: 'a new file is staged', act: (tree) => tree.sh('touch new.txt && git add .'), expected: ['A new.txt'] },
  { title: 'existing changes are staged', act: (tree) => tree.sh('git add .'), expected: [] },
  {
    title: 'content is staged that is not in the work tree',
    act: (tree) => tree.sh('git update-index --cacheinfo 100644,$(echo x | git hash-object -w --stdin),clean.txt'),
    expected: [],
  },
  {
    title: 'a file is removed only from the index',
    act: (tree) => tree.sh('git rm -q --cached clean.txt'),
    expected: [],
  },
  {
    title: 'a file is renamed with git',
    act: (tree) => tree.sh('git mv clean.txt moved.txt'),
    expected: ['A moved.txt', 'D clean.txt'],
  },
  {
    title: 'a file marked assume-unchanged is edited twice',
    given: async (tree) => {
      await tree.sh('git update-index --assume-unchanged clean.txt');
      tree.write('clean.txt', 'once');
    },
    act: (tree) => tree.write('clean.txt', 'twice'),
    expected: ['M clean.txt'],
  },
  {
    title: 'a file is hidden from git, then edited',
    act: (tree) => tree.sh('git update-index --skip-worktree clean.txt && echo hidden > clean.txt'),
    expected: ['M clean.txt'],
  },
  {
    title: 'a file is only hidden from git',
    act: (tree) => tree.sh('git update-index --assume-unchanged clean.txt package/inner.txt'),
    expected: [],
  },
  {
    title: 'in a sparse checkout, a checked-out file is edited',
    given: (tree) => tree.sh('git stash -q && git sparse-checkout set --cone package'),
    act: (tree) => tree.write('package/inner.txt', 'edited'),
    expected: ['M package/inner.txt'],
  },
  {
    title: 'a file outside the sparse checkout appears with content that differs from the commit',
    given: (tree) =>
      tree.sh('mkdir b && touch b/f && git add b && git commit -qm b && git sparse-checkout set package'),
    act: (tree) => tree.write('b/f', 'edited'),
    expected: ['M b/f'],
  },
];

test.for([...edits, ...ignored, ...index])('A088 A090 A099 R16: in a repository: $title', async (situation) => {
  const tree = await repository();
  await situation.given?.(tree);
  expect(linesOf(await changesBy(tree, () => situation.act(tree)))).toEqual(situation.expected);
});
