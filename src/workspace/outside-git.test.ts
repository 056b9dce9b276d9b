import { chmodSync, chownSync, mkdirSync, renameSync, symlinkSync, truncateSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { takeFingerprint } from './fingerprint.ts';
import { changesBy, emptyFolder, env, linesOf, repository, type Tree } from './testing/tree.ts';

const situations: readonly [title: string, act: (tree: Tree) => unknown, expected: readonly string[]][] = [
  ['nothing', () => {}, []],
  ['a file is edited', (tree) => tree.write('a.txt', 'longer'), ['M a.txt']],
  ['a file is only touched', (tree) => utimesSync(tree.at('a.txt'), 1, 1), []],
  ['a file is deleted and created again with the same content', (tree) => recreate(tree), []],
  ['an edit keeps size and modification time', (tree) => editKeepingTime(tree), ['M a.txt']],
  ['a file is deleted', (tree) => tree.remove('a.txt'), ['D a.txt']],
  ['a file is renamed', (tree) => renameSync(tree.at('a.txt'), tree.at('b.txt')), ['A b.txt', 'D a.txt']],
  [
    'a folder is renamed',
    (tree) => tree.sh('rm in/.gitignore; mv in out'),
    ['A out/b.txt', 'D in/.gitignore', 'D in/b.txt'],
  ],
  ['a file becomes executable', (tree) => chmodSync(tree.at('a.txt'), 0o755), ['M a.txt']],
  ['a link gets another target', (tree) => tree.sh('ln -sfn in/b.txt link'), ['M link']],
  ['a file becomes a folder', (tree) => tree.sh('rm a.txt && mkdir a.txt && touch a.txt/c'), ['A a.txt/c', 'D a.txt']],
  ['a file becomes a pipe', (tree) => tree.sh('rm a.txt && mkfifo a.txt'), ['M a.txt']],
  ['a name is not UTF-8', (tree) => tree.sh('touch "$(printf \'odd\\377\')"'), ['A odd\uFFFD']],
  ['a name has a line break', (tree) => tree.write('odd\nname', ''), ['A odd\nname']],
  ['a file that was too large to read grows', (tree) => truncateSync(tree.at('huge'), 2 ** 40 + 1), ['M huge']],
  ['an ignored file is edited', (tree) => tree.write('in/x.log', 'more'), []],
  ['an ignored folder fills', (tree) => tree.write('in/private/deep/x', 'more'), []],
  ['a file is no longer ignored', (tree) => tree.write('.gitignore', ''), ['M .gitignore', 'A in/x.log']],
  ['a file is ignored from now on', (tree) => tree.write('.gitignore', '*.log\na.txt'), ['M .gitignore', 'D a.txt']],
  ['a dependency is installed', (tree) => tree.write('in/node_modules/x/index.js', ''), []],
  ['a Python environment is made', (tree) => tree.sh('mkdir env && touch env/pyvenv.cfg env/x'), []],
  ['a marked cache is filled', (tree) => makeCache(tree, 'Signature: 8a477f597d28d172789f06886806bc55\n'), []],
  ['a cache is marked wrongly', (tree) => makeCache(tree, 'x'), ['A cache/CACHEDIR.TAG', 'A cache/x']],
  [
    'a nested repository is worked on',
    (tree) => tree.sh('cd nested && echo x > f && git commit -qam x'),
    ['M nested/f'],
  ],
];

async function plainFolder(): Promise<Tree> {
  const tree = emptyFolder();
  tree.write('.gitignore', '*.log\n');
  tree.write('a.txt', 'aaa');
  tree.write('in/b.txt', 'b');
  tree.write('in/.gitignore', '/private/\n');
  tree.write('in/x.log', 'noise');
  tree.write('huge', '');
  truncateSync(tree.at('huge'), 2 ** 40);
  symlinkSync('a.txt', tree.at('link'));
  symlinkSync('.', tree.at('circle'));
  utimesSync(tree.at('a.txt'), 1_000, 1_000);
  await tree.sh('git init -q nested && cd nested && touch f && git add f && git commit -qm f');
  return tree;
}

function recreate(tree: Tree): void {
  tree.remove('a.txt');
  tree.write('a.txt', 'aaa');
}

function editKeepingTime(tree: Tree): void {
  tree.write('a.txt', 'AAA');
  utimesSync(tree.at('a.txt'), 1_000, 1_000);
}

function makeCache(tree: Tree, tag: string): void {
  tree.write('cache/CACHEDIR.TAG', tag);
  tree.write('cache/x', '');
}

test.for(situations)('A088 A090 A099 R16: outside a repository: %s', async ([, act, expected]) => {
  const tree = await plainFolder();
  expect(linesOf(await changesBy(tree, () => act(tree)))).toEqual(expected);
});

test('A099: generated files count when the ignore rules re-include them', async () => {
  const tree = emptyFolder();
  tree.write('.gitignore', '!node_modules/\n');
  const act = () => tree.write('node_modules/x/index.js', '');
  expect(linesOf(await changesBy(tree, act))).toEqual(['A node_modules/x/index.js']);
});

test('A099: a folder that the surrounding repository ignores is read by itself', async () => {
  const tree = await repository();
  tree.write('.gitignore', 'scratch/\n');
  tree.write('scratch/a.txt', 'a');
  const act = () => {
    tree.write('scratch/a.txt', 'b');
    tree.write('clean.txt', 'changed');
  };
  expect(linesOf(await changesBy(tree, act, { folder: tree.at('scratch') }))).toEqual(['M a.txt']);
});

test.skipIf(process.platform === 'win32')('A099: a change of an unreadable file is still detected', async () => {
  const tree = emptyFolder();
  tree.write('secret', '1');
  tree.write('closed/inner', '1');
  tree.write('locked/inner', '1');
  becomeNobody(tree);
  chmodSync(tree.at('secret'), 0);
  chmodSync(tree.at('closed'), 0);
  chmodSync(tree.at('locked'), 0o600);
  onTestFinished(() => {
    chmodSync(tree.at('closed'), 0o700);
    chmodSync(tree.at('locked'), 0o700);
  });
  const act = () => {
    chmodSync(tree.at('secret'), 0o600);
    tree.write('secret', '2');
    chmodSync(tree.at('secret'), 0);
    tree.write('new', '');
  };
  expect(linesOf(await changesBy(tree, act))).toEqual(['M secret', 'A new']);
});

/** The superuser can read everything, so the test runs as another user for a while. */
function becomeNobody(tree: Tree): void {
  if (process.geteuid?.() !== 0) return;
  for (const file of ['.', 'secret', 'closed', 'closed/inner', 'locked', 'locked/inner']) {
    chownSync(tree.at(file), 65_534, 65_534);
  }
  process.seteuid?.(65_534);
  onTestFinished(() => process.seteuid?.(0));
}

test('A099: the changes of a deleted folder are unknown, never empty', async () => {
  const tree = emptyFolder();
  mkdirSync(tree.at('work'));
  expect(linesOf(await changesBy(tree, () => tree.remove('work'), { folder: tree.at('work') }))).toEqual(['unknown']);
  const gone = await takeFingerprint(tree.at('work'), { env, exclude: [] });
  expect(gone).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('ENOENT') });
});

test('A099: our own state never counts, tracked or not, committed or not, nested or not, in a repository or not', async () => {
  for (const tree of [await repository(), emptyFolder()]) {
    const exclude = [tree.at('.ralph'), tree.at('.aiwg/ralph'), tree.at('not/there')];
    const act = () => tree.sh('mkdir -p .ralph .aiwg/ralph; touch .ralph/state.json .ralphd .aiwg/ralph/x .aiwg/y');
    expect(linesOf(await changesBy(tree, act, { exclude }))).toEqual(['A .aiwg/y', 'A .ralphd']);
  }
  const tree = await repository();
  const exclude = [tree.at('.ralph')];
  const act = () => tree.sh('mkdir .ralph && touch .ralph/state.json && git add .ralph && git commit -qm state');
  expect(linesOf(await changesBy(tree, act, { exclude }))).toEqual(['head']);
  symlinkSync(path.basename(tree.folder), `${tree.folder} link`);
  onTestFinished(() => tree.remove(`../${path.basename(tree.folder)} link`));
  const throughLink = { exclude: [`${tree.folder} link/.ralph`] };
  expect(linesOf(await changesBy(tree, () => tree.write('.ralph/state.json', 'x'), throughLink))).toEqual([]);
});

test('A090: long lists are cut, and the counts stay exact', async () => {
  const tree = emptyFolder();
  const act = () => {
    for (let index = 0; index < 250; index += 1) tree.write(`file-${index}`, '');
  };
  const changes = await changesBy(tree, act);
  expect(changes.created).toHaveLength(200);
  expect(changes.counts).toEqual({ modified: 0, created: 250, deleted: 0 });
});
