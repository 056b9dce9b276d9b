import { chmodSync, renameSync, statSync, symlinkSync, truncateSync, utimesSync } from 'node:fs';
import { expect, test } from 'vitest';
import { changesBy, happened, repository, type Tree } from './testing/tree.ts';

/** What is there before, what happens, and what is to be seen of it. A renamed file is deleted and created. */
interface Situation {
  readonly title: string;
  readonly given?: (tree: Tree) => unknown;
  readonly act: (tree: Tree) => unknown;
  readonly seen: readonly string[];
}

const edits: readonly Situation[] = [
  { title: 'nothing', act: () => {}, seen: [] },
  { title: 'a clean file is edited', act: (tree) => tree.write('clean.txt', 'edited'), seen: ['M clean.txt'] },
  { title: 'a changed file is changed again', act: (tree) => tree.write('dirty.txt', 'twice'), seen: ['M dirty.txt'] },
  { title: 'an edit keeps the size', act: (tree) => tree.write('dirty.txt', 'changed 0nce'), seen: ['M dirty.txt'] },
  {
    title: 'an edit keeps size and modification time',
    given: (tree) => tree.sh('touch -d @1000 clean.txt && git update-index clean.txt'),
    act: editInAnotherSecond,
    seen: ['M clean.txt'],
  },
  { title: 'a changed file is put back', act: (tree) => tree.sh('git checkout -q dirty.txt'), seen: ['M dirty.txt'] },
  { title: 'a file is only touched', act: (tree) => utimesSync(tree.at('clean.txt'), 1, 1), seen: [] },
  { title: 'a file is written anew as it was', act: (tree) => tree.write('dirty.txt', 'changed once'), seen: [] },
  {
    title: 'a file is deleted and made again as it was',
    act: (tree) => {
      tree.remove('clean.txt');
      tree.write('clean.txt', 'clean');
    },
    seen: [],
  },
  { title: 'a file is deleted', act: (tree) => tree.remove('clean.txt'), seen: ['D clean.txt'] },
  {
    title: 'a file is renamed without telling git',
    act: (tree) => renameSync(tree.at('clean.txt'), tree.at('moved.txt')),
    seen: ['A moved.txt', 'D clean.txt'],
  },
  { title: 'a file becomes executable', act: (tree) => chmodSync(tree.at('clean.txt'), 0o755), seen: ['M clean.txt'] },
  {
    title: 'a file becomes a link',
    act: (tree) => {
      tree.remove('clean.txt');
      symlinkSync('dirty.txt', tree.at('clean.txt'));
    },
    seen: ['M clean.txt'],
  },
  {
    title: 'a link gets another target',
    given: (tree) => tree.sh('ln -s clean.txt link && git add link && git commit -qm link'),
    act: (tree) => tree.sh('ln -sfn dirty.txt link'),
    seen: ['M link'],
  },
  {
    title: 'a file becomes a folder',
    act: (tree) => {
      tree.remove('clean.txt');
      tree.write('clean.txt/in.txt', 'x');
    },
    seen: ['A clean.txt/in.txt', 'D clean.txt'],
  },
  {
    title: 'a folder becomes a file',
    act: (tree) => {
      tree.remove('package');
      tree.write('package', 'x');
    },
    seen: ['A package', 'D package/inner.txt'],
  },
  { title: 'a new file is not tracked', act: (tree) => tree.write('new/deep/file', ''), seen: ['A new/deep/file'] },
  { title: 'an empty folder appears', act: (tree) => tree.sh('mkdir empty'), seen: [] },
  { title: 'a pipe appears, which git does not see', act: (tree) => tree.sh('mkfifo pipe'), seen: [] },
  { title: 'a name is not UTF-8', act: (tree) => tree.sh('touch "$(printf \'odd\\377\')"'), seen: ['A odd\uFFFD'] },
  { title: 'a name has a line break', act: (tree) => tree.write('odd\n"name', 'x'), seen: ['A odd\n"name'] },
  {
    title: 'a file too large to read is there, and grows',
    given: (tree) => {
      tree.write('huge.bin', '');
      truncateSync(tree.at('huge.bin'), 2 ** 40);
    },
    act: (tree) => truncateSync(tree.at('huge.bin'), 2 ** 40 + 1),
    seen: ['M huge.bin'],
  },
];

/** Git keeps the change time in whole seconds: it is all that gives such an edit away. */
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
  { title: 'an ignored file appears', act: (tree) => tree.write('debug.log', 'noise'), seen: [] },
  {
    title: 'a file is not ignored any longer: it appears',
    given: (tree) => tree.write('debug.log', 'noise'),
    act: (tree) => tree.write('.gitignore', ''),
    seen: ['M .gitignore', 'A debug.log'],
  },
  {
    title: 'a file is ignored from now on: it is still there',
    given: (tree) => tree.write('new.txt', 'x'),
    act: (tree) => tree.write('.gitignore', '*.log\nnew.txt\n'),
    seen: ['M .gitignore'],
  },
  {
    title: 'a file is ignored from now on, and deleted',
    given: (tree) => tree.write('new.txt', 'x'),
    act: (tree) => {
      tree.write('.gitignore', '*.log\nnew.txt\n');
      tree.remove('new.txt');
    },
    seen: ['M .gitignore', 'D new.txt'],
  },
  {
    title: 'a tracked file is given up to the ignore rules: it is still there',
    act: (tree) => tree.sh('echo clean.txt >> .gitignore && git rm -q --cached clean.txt && git commit -qam out'),
    seen: ['head', 'M .gitignore'],
  },
  {
    title: 'a tracked file that matches an ignore rule is edited',
    given: (tree) => tree.sh('touch kept.log && git add -f kept.log && git commit -qm log'),
    act: (tree) => tree.write('kept.log', 'x'),
    seen: ['M kept.log'],
  },
];

const index: readonly Situation[] = [
  { title: 'a new file is staged', act: (tree) => tree.sh('touch new.txt && git add .'), seen: ['A new.txt'] },
  { title: 'what was there is staged', act: (tree) => tree.sh('git add .'), seen: [] },
  {
    title: 'something is staged that is nowhere in the work tree',
    act: (tree) => tree.sh('git update-index --cacheinfo 100644,$(echo x | git hash-object -w --stdin),clean.txt'),
    seen: [],
  },
  { title: 'a file leaves only the index', act: (tree) => tree.sh('git rm -q --cached clean.txt'), seen: [] },
  {
    title: 'a file is renamed with git',
    act: (tree) => tree.sh('git mv clean.txt moved.txt'),
    seen: ['A moved.txt', 'D clean.txt'],
  },
  {
    title: 'a file that git is to assume unchanged is edited, twice',
    given: async (tree) => {
      await tree.sh('git update-index --assume-unchanged clean.txt');
      tree.write('clean.txt', 'once');
    },
    act: (tree) => tree.write('clean.txt', 'twice'),
    seen: ['M clean.txt'],
  },
  {
    title: 'a file is hidden from git, and edited then',
    act: (tree) => tree.sh('git update-index --skip-worktree clean.txt && echo hidden > clean.txt'),
    seen: ['M clean.txt'],
  },
  {
    title: 'a file is only hidden from git',
    act: (tree) => tree.sh('git update-index --assume-unchanged clean.txt package/inner.txt'),
    seen: [],
  },
  {
    title: 'most of the repository is not checked out, and a file is edited that is',
    given: (tree) => tree.sh('git stash -q && git sparse-checkout set --cone package'),
    act: (tree) => tree.write('package/inner.txt', 'edited'),
    seen: ['M package/inner.txt'],
  },
  {
    title: 'a file appears that the sparse checkout leaves out, with another content than the commit has',
    given: (tree) =>
      tree.sh('mkdir b && touch b/f && git add b && git commit -qm b && git sparse-checkout set package'),
    act: (tree) => tree.write('b/f', 'edited'),
    seen: ['M b/f'],
  },
];

test.for([...edits, ...ignored, ...index])('A088 A090 A099 R16: in a repository: $title', async (situation) => {
  const tree = await repository();
  await situation.given?.(tree);
  expect(happened(await changesBy(tree, () => situation.act(tree)))).toEqual(situation.seen);
});
