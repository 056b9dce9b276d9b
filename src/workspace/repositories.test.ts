import { existsSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { changesBetween } from './changes.ts';
import { takeFingerprint } from './fingerprint.ts';
import { changesBy, emptyFolder, env, linesOf, repository, type Tree } from './testing/tree.ts';

const commits: readonly [title: string, act: string, expected: readonly string[]][] = [
  ['a commit is made of new work', 'echo work > clean.txt && git commit -qm x clean.txt', ['head', 'M clean.txt']],
  ['the work is only committed', 'git commit -qam second', ['head']],
  ['an empty commit is made', 'git commit -q --allow-empty -m none', ['head']],
  ['the commit gets another message', 'git commit -q --amend -m other', ['head']],
  ['the commit gets more work', 'touch a && git add a && git commit -q --amend -m other', ['head', 'A a']],
  ['a commit deletes a file', 'git rm -q clean.txt && git commit -qm gone', ['head', 'D clean.txt']],
  ['a commit renames a file', 'git mv clean.txt b && git commit -qm moved', ['head', 'A b', 'D clean.txt']],
  ['a commit is made and thrown away', 'git commit -qam x && git reset -q --soft HEAD~ && git reset -q', []],
  ['the work is stashed', 'touch new && git add new && git stash -q', ['M dirty.txt']],
  ['the work is stashed and taken back', 'git stash -q && git stash pop -q', []],
  ['another branch starts here', 'git switch -qc other', []],
  [
    'another branch is checked out',
    'git stash -q; git switch -qc b; touch b; git rm -q clean.txt; git add b; git commit -qm b; git switch -q main; git switch -q b',
    ['head', 'M dirty.txt', 'A b', 'D clean.txt'],
  ],
  [
    'work is rebased',
    'git stash -q; git switch -qc b; touch b; git add b; git commit -qm b; git switch -q main; touch m; git add m; git commit -qm m; git rebase -q main b',
    ['head', 'M dirty.txt', 'A b', 'A m'],
  ],
  [
    'a merge ends in a conflict',
    'git stash -q; git switch -qc b; echo b > clean.txt; git commit -qam b; git switch -q main; echo m > clean.txt; git commit -qam m; ! git merge -q b',
    ['head', 'M clean.txt', 'M dirty.txt'],
  ],
];

test.for(commits)('A088 A090 A099 R16: in a repository: %s', async ([, act, expected]) => {
  const tree = await repository();
  expect(linesOf(await changesBy(tree, () => tree.sh(act)))).toEqual(expected);
});

test('A099: a repository without a commit: files count, and so does the first commit', async () => {
  const tree = emptyFolder();
  tree.write('a.txt', 'a');
  await tree.sh('git init -q');
  expect(linesOf(await changesBy(tree, () => tree.write('a.txt', 'b')))).toEqual(['M a.txt']);
  expect(linesOf(await changesBy(tree, () => tree.sh('git add . && git commit -qm first')))).toEqual(['head']);
  const restart = () => tree.sh('git checkout -q --orphan new && git rm -rqf a.txt && touch b.txt');
  expect(linesOf(await changesBy(tree, restart))).toEqual(['head', 'A b.txt', 'D a.txt']);
});

test('A099: a repository with SHA-256 ids works too', async () => {
  const tree = emptyFolder();
  tree.write('a.txt', 'a');
  await tree.sh('git init -q --object-format=sha256');
  const act = () => tree.sh('git add . && git commit -qm first');
  expect(linesOf(await changesBy(tree, act))).toEqual(['head']);
});

test('A099: from a folder inside the repository, changes anywhere in it count, with paths relative to that folder', async () => {
  const tree = await repository();
  const act = () => {
    tree.write('package/inner.txt', 'changed');
    tree.write('clean.txt', 'changed');
  };
  const changes = await changesBy(tree, act, { folder: tree.at('package') });
  expect(linesOf(changes)).toEqual(['M ../clean.txt', 'M inner.txt']);
  const hide = () => tree.sh('git update-index --skip-worktree clean.txt && echo hidden > clean.txt');
  expect(linesOf(await changesBy(tree, hide, { folder: tree.at('package') }))).toEqual(['M ../clean.txt']);
});

test('A099: a second work tree, whose .git is a file, is a repository like any other', async () => {
  const tree = await repository();
  await tree.sh('git worktree add -q second');
  const folder = tree.at('second');
  expect(linesOf(await changesBy(tree, () => tree.write('second/clean.txt', 'x'), { folder }))).toEqual([
    'M clean.txt',
  ]);
  const act = () => tree.sh('cd second && git commit -qam x && touch new');
  expect(linesOf(await changesBy(tree, act, { folder }))).toEqual(['head', 'A new']);
});

/** A repository that checks out every line break as CRLF. */
async function repositoryWithCrlf(): Promise<Tree> {
  const tree = emptyFolder();
  tree.write('.gitattributes', '* text=auto eol=crlf\n');
  tree.write('a.txt', 'one\r\ntwo\r\n');
  tree.write('odd\n"name', 'one\r\ntwo\r\n');
  await tree.sh('git init -q && git add . 2>&1 && git commit -qm first');
  return tree;
}

test('A099: line-ending conversion is not a change', async () => {
  const tree = await repositoryWithCrlf();
  const edit = (text: string) => () => tree.write('a.txt', text);
  expect(linesOf(await changesBy(tree, edit('one\r\nthree\r\n')))).toEqual(['M a.txt']);
  expect(linesOf(await changesBy(tree, () => tree.sh('git add . 2>&1')))).toEqual([]);
  expect(linesOf(await changesBy(tree, () => tree.sh('git commit -qm second')))).toEqual(['head']);
  expect(linesOf(await changesBy(tree, () => tree.sh('git reset -q --soft HEAD~')))).toEqual(['head']);
  expect(linesOf(await changesBy(tree, edit('one\r\ntwo\r\n')))).toEqual(['M a.txt']);
  expect(linesOf(await changesBy(tree, () => tree.sh('git rm -rqf --cached .')))).toEqual([]);
});

test('A099: a nested repository counts as one file, and every edit of it as a change', async () => {
  const tree = await repository();
  tree.write('nested/file.txt', '1');
  await tree.sh('git init -q nested');
  expect(linesOf(await changesBy(tree, () => tree.write('nested/file.txt', '2')))).toEqual(['M nested']);
  await tree.sh('cd nested && git add . && git commit -qm inner');
  await tree.sh('git -c advice.addEmbeddedRepo=false add nested && git commit -qm outer');
  expect(linesOf(await changesBy(tree, () => {}))).toEqual([]);
  expect(linesOf(await changesBy(tree, () => tree.write('nested/file.txt', '3')))).toEqual(['M nested']);
  expect(linesOf(await changesBy(tree, () => tree.write('nested/file.txt', '4')))).toEqual(['M nested']);
  expect(linesOf(await changesBy(tree, () => tree.remove('nested')))).toEqual(['D nested']);
});

test('A099: a commit in a submodule is a change; recording it in the outer repository is only a commit', async () => {
  const tree = await repository();
  await tree.sh('git init -q -b main library && cd library && touch a && git add a && git commit -qm a');
  await tree.sh('git -c protocol.file.allow=always submodule --quiet add ./library module && git commit -qm module');
  const commit = () => tree.sh('cd module && touch b && git add b && git commit -qm b');
  expect(linesOf(await changesBy(tree, commit))).toEqual(['M module']);
  expect(linesOf(await changesBy(tree, () => tree.sh('git commit -qm newer module')))).toEqual(['head']);
  expect(linesOf(await changesBy(tree, () => tree.sh('git reset -q --soft HEAD~')))).toEqual(['head']);
  expect(linesOf(await changesBy(tree, () => tree.sh('git rm -q --cached module')))).toEqual([]);
  expect(linesOf(await changesBy(tree, () => tree.write('module/c', 'x')))).toEqual(['M module']);
});

test("A099: the caller's git variables and the repository's monitor are ignored, but git settings apply", async () => {
  const tree = await repository();
  await tree.sh('git config core.fsmonitor "touch ran; false"');
  tree.write('rules', 'clean.new');
  const settings = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.excludesFile',
    GIT_CONFIG_VALUE_0: tree.at('rules'),
  };
  const hostile = { ...env, ...settings, GIT_DIR: '/nonexistent', GIT_INDEX_FILE: '/nonexistent' };
  const before = await takeFingerprint(tree.folder, { env: hostile, exclude: [] });
  tree.write('clean.new', 'ignored');
  const after = await takeFingerprint(tree.folder, { env: hostile, exclude: [] });
  expect(linesOf(await changesBetween(before, after, hostile))).toEqual([]);
  expect(existsSync(tree.at('ran'))).toBe(false);
});

test("A099: taking a fingerprint does not touch the user's index", async () => {
  const tree = await repository();
  await tree.sh('touch clean.txt');
  const { mtimeMs, ino } = statSync(tree.at('.git/index'));
  await takeFingerprint(tree.folder, { env, exclude: [] });
  expect(statSync(tree.at('.git/index'))).toMatchObject({ mtimeMs, ino });
});

test('A099: when the old commit is lost, changed files are unknown but the move of HEAD is known', async () => {
  const tree = await repository();
  const act = () => tree.sh('rm -rf .git && git init -q && git add . && git commit -qm anew');
  expect(linesOf(await changesBy(tree, act))).toEqual(['unknown', 'head']);
});

test('A099: a repository that the agent creates hides none of its changes', async () => {
  const tree = emptyFolder();
  tree.write('a.txt', 'a');
  expect(linesOf(await changesBy(tree, () => tree.sh('git init -q')))).toEqual([]);
  tree.remove('.git');
  const act = () => tree.sh('echo b > b.txt && git init -q && git add . && git commit -qm first && echo c > a.txt');
  expect(linesOf(await changesBy(tree, act))).toEqual(['head', 'M a.txt', 'A b.txt']);
});

test('A099: after the agent breaks or deletes the repository, changes are unknown, never empty', async () => {
  const broken = await repository();
  expect(linesOf(await changesBy(broken, () => broken.write('.git/HEAD', 'nonsense')))).toEqual(['unknown']);
  const deleted = await repository();
  expect(linesOf(await changesBy(deleted, () => deleted.remove('.git')))).toEqual(['unknown']);
});

const withoutGit: readonly [title: string, given: string, path?: string][] = [
  ['is broken', 'echo nonsense > .git/HEAD'],
  ['is bare', 'git config core.bare true'],
  ['has a damaged index', 'echo nonsense > .git/index'],
  ['exists but git does not', 'true', '/nonexistent'],
];

test.for(withoutGit)('A099: where the repository %s, files are compared without git', async ([, given, path]) => {
  const tree = await repository();
  await tree.sh(given);
  const options = { env: { ...env, PATH: path ?? env.PATH }, exclude: [] };
  const before = await takeFingerprint(tree.folder, options);
  tree.write('clean.txt', 'edited');
  tree.write('debug.log', 'ignored');
  const after = await takeFingerprint(tree.folder, { ...options, previous: before });
  expect(linesOf(await changesBetween(before, after, options.env))).toEqual(['M clean.txt']);
});
