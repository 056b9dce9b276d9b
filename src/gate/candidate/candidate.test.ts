import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runToEnd } from '../../process/index.ts';
import { toText } from '../../workspace/index.ts';
import { countingGit } from '../../workspace/testing/counting-git.ts';
import { emptyFolder, env, repository, type Tree } from '../../workspace/testing/tree.ts';
import { type Candidate, changedSince, readCandidate } from './candidate.ts';
import { findTop, namesFromGit } from './git-files.ts';

const none = { exclude: [] };

async function said(tree: Tree, command: string): Promise<string> {
  return (await runToEnd({ command, cwd: tree.folder, env })).output.trim();
}

/** The tree that git itself writes from everything that is not ignored, with a separate index. */
function treeOfGit(tree: Tree): Promise<string> {
  return said(tree, 'GIT_INDEX_FILE=.git/other git add -A && GIT_INDEX_FILE=.git/other git write-tree');
}

const paths = ({ files }: Candidate) => files.map(({ path: file }) => toText(file));

async function readWithNames(tree: Tree): Promise<Candidate> {
  return readCandidate(tree.folder, { exclude: [], names: await namesFromGit(tree.folder, env) });
}

test('R6: the tree id is the one that git gives to the same files', async () => {
  const tree = await repository();
  tree.write('src/a.txt', 'a');
  tree.write('src.txt', 'sorts between a folder and its files');
  tree.write('src/deep/er/b.txt', '');
  tree.write('noise.log', 'ignored');
  tree.write('large.bin', 'x'.repeat(700_000));
  tree.write('kept/.gitignore', '*\n!.gitignore\n!wanted.txt\n');
  tree.write('kept/wanted.txt', 'w');
  tree.write('kept/other.txt', 'o');
  tree.write('run.sh', '#!/bin/sh\n');
  chmodSync(tree.at('run.sh'), 0o755);
  symlinkSync('../clean.txt', tree.at('src/link'));
  symlinkSync('nowhere', tree.at('dangling'));
  mkdirSync(tree.at('empty'));
  const candidate = readCandidate(tree.folder, none);
  expect(candidate.refused).toEqual([]);
  expect(candidate.tree.id).toBe(await treeOfGit(tree));
  expect(candidate.tree.files).toBe(paths(candidate).length);
});

test('R6: an empty folder is the empty tree', () => {
  expect(readCandidate(emptyFolder().folder, none).tree).toEqual({
    id: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
    files: 0,
    bytes: 0,
  });
});

test('R6: names that are not UTF-8, and names with line breaks, quotes and backslashes, are read byte for byte', async () => {
  const tree = await repository();
  const odd = ['a\nb', '"quoted"', 'back\\slash', ' space ', 'tab\t', 'ünï', '-rf', '*'];
  for (const name of odd) tree.write(name, name);
  writeFileSync(Buffer.concat([Buffer.from(`${tree.folder}/`), Buffer.from([0xff, 0xfe])]), 'bytes');
  mkdirSync(Buffer.concat([Buffer.from(`${tree.folder}/`), Buffer.from([0xe9])]));
  writeFileSync(Buffer.concat([Buffer.from(`${tree.folder}/`), Buffer.from([0xe9, 0x2f, 0x61])]), 'in it');
  const candidate = readCandidate(tree.folder, none);
  expect(candidate.files.map((file) => file.path)).toEqual(expect.arrayContaining(['\xff\xfe', '\xe9/a']));
  expect(candidate.tree.id).toBe(await treeOfGit(tree));
});

/** Ways to make git show something other than the files on disk. */
const tricks: readonly { readonly title: string; readonly play: (tree: Tree) => Promise<void> }[] = [
  {
    title: 'a filter in .git/info/attributes',
    play: async (tree) => {
      await tree.sh("git config filter.x.clean 'echo clean' && git config filter.x.smudge 'echo smudge'");
      tree.write('.git/info/attributes', '*.txt filter=x text eol=crlf\n');
    },
  },
  {
    title: 'files that are marked as unchanged or skipped',
    play: (tree) =>
      tree.sh('git update-index --assume-unchanged clean.txt && git update-index --skip-worktree dirty.txt'),
  },
  {
    title: 'a file system monitor that sees no change',
    play: async (tree) => {
      tree.write('.git/monitor', '#!/bin/sh\nprintf "token\\0"\n');
      chmodSync(tree.at('.git/monitor'), 0o755);
      await tree.sh('git config core.fsmonitor "$PWD/.git/monitor" && git update-index --fsmonitor && git status');
    },
  },
  {
    title: 'an exclude file that hides tracked files',
    play: async (tree) => tree.write('.git/info/exclude', '*.txt\npackage/\n'),
  },
  {
    title: 'settings that turn line ends and modes',
    play: (tree) => tree.sh('git config core.autocrlf true && git config core.fileMode false'),
  },
  {
    title: 'another index',
    play: (tree) => tree.sh('git read-tree --empty && git config core.sparseCheckout true'),
  },
];

test.each(tricks)('R6: $title does not change what is read', async ({ play }) => {
  const tree = await repository();
  const expected = await readWithNames(tree);
  await play(tree);
  expect((await readWithNames(tree)).tree).toEqual(expected.tree);
  tree.write('clean.txt', 'edited');
  const edited = await readWithNames(tree);
  expect(edited.tree.id).not.toBe(expected.tree.id);
  expect(edited.files.find((file) => file.path === 'clean.txt')?.id).toBe(
    await said(tree, 'git hash-object --no-filters clean.txt'),
  );
});

test('R6: a filter in .gitattributes adds that file and changes nothing else', async () => {
  const tree = await repository();
  const before = readCandidate(tree.folder, none);
  await tree.sh("git config filter.x.clean 'echo clean'");
  tree.write('.gitattributes', '*.txt filter=x\n');
  const after = readCandidate(tree.folder, none);
  const others = after.files.filter((file) => file.path !== '.gitattributes');
  expect(others.map(({ path: file, id }) => [file, id])).toEqual(before.files.map(({ path: file, id }) => [file, id]));
});

test('R6: files tracked before the repository was replaced still count', async () => {
  const tree = await repository();
  tree.write('forced.log', 'tracked although ignored');
  await tree.sh('git add -f forced.log && git commit -qm forced');
  const names = await namesFromGit(tree.folder, env);
  const before = readCandidate(tree.folder, { exclude: [], names });
  await tree.sh('rm -rf .git && git init -q -b main');
  tree.write('.git/info/exclude', 'clean.txt\n');
  expect(paths(before)).toContain('forced.log');
  expect(readCandidate(tree.folder, { exclude: [], names }).tree).toEqual(before.tree);
});

test.each([
  ['the index is damaged', 'echo x > .git/index'],
  ['there is no commit', 'git update-ref -d HEAD'],
])('R6: tracked files count where %s', async (_title, line) => {
  const tree = await repository();
  tree.write('forced.log', 'tracked although ignored');
  await tree.sh(`git add -f forced.log && git commit -qm forced && ${line}`);
  expect((await namesFromGit(tree.folder, env)).tracked).toContain('forced.log');
});

test('what git tracks takes one process, once the settings are known', async () => {
  const git = countingGit(env.PATH);
  const counted = { ...env, PATH: git.searchPath };
  const tree = await repository();
  tree.write('.git/rules', 'clean.txt\n');
  expect((await namesFromGit(tree.folder, counted)).userRules).toBe('');
  expect(git.calls()).toEqual(['ls-files', 'config']);
  await namesFromGit(tree.folder, counted);
  expect(git.calls()).toEqual(['ls-files']);
  await tree.sh('git config core.excludesFile "$PWD/.git/rules"');
  expect((await namesFromGit(tree.folder, counted)).userRules).toBe('clean.txt\n');
  expect(git.calls()).toEqual(['ls-files', 'config']);
  // What another file says is not remembered.
  await tree.sh(`git config --unset core.excludesFile && git config include.path rules-setting &&
    git config -f .git/rules-setting core.excludesFile "$PWD/.git/rules"`);
  for (const _ of ['once', 'again']) {
    expect((await namesFromGit(tree.folder, counted)).userRules).toBe('clean.txt\n');
    expect(git.calls()).toEqual(['ls-files', 'config']);
  }
});

test('R6: a tracked file counts although it is ignored, in an ignored folder too, and its neighbours do not', async () => {
  const tree = await repository();
  tree.write('.gitignore', '*.log\nout/\n');
  tree.write('out/a/kept.txt', '1');
  tree.write('out/a/other.txt', '2');
  tree.write('out/b/other.txt', '3');
  tree.write('staged.log', '4');
  await tree.sh('git add -f out/a/kept.txt && git commit -qm kept && git rm -q --cached out/a/kept.txt');
  await tree.sh('git add -f staged.log');
  expect(paths(await readWithNames(tree))).toEqual([
    '.gitignore',
    'clean.txt',
    'dirty.txt',
    'out/a/kept.txt',
    'package/inner.txt',
    'staged.log',
  ]);
});

test('R6: files ignored by global rules of the user do not count', async () => {
  const tree = await repository();
  const home = emptyFolder();
  home.write('.config/git/ignore', '.idea/\n');
  tree.write('.idea/settings.xml', '');
  const { GIT_CONFIG_GLOBAL: _, ...rest } = env;
  const names = await namesFromGit(tree.folder, { ...rest, HOME: home.folder });
  expect(paths(readCandidate(tree.folder, { exclude: [], names }))).not.toContain('.idea/settings.xml');
  expect(paths(readCandidate(tree.folder, none))).toContain('.idea/settings.xml');
});

async function withSubmodule(): Promise<Tree> {
  const inner = await repository();
  const tree = await repository();
  await tree.sh(`git -c protocol.file.allow=always submodule --quiet add '${inner.folder}' libs/inner`);
  await tree.sh('git add -A && git commit -qm submodule');
  return tree;
}

test('R6: the files of a submodule are part of the candidate, by its own ignore rules', async () => {
  const tree = await withSubmodule();
  tree.write('.gitignore', '*.tmp\n');
  tree.write('libs/inner/a.tmp', 'only the outer rules ignore it');
  tree.write('libs/inner/a.log', 'its own rules ignore it');
  tree.write('libs/inner/excluded', 'its own exclude file ignores it');
  appendFileSync(tree.at('.git/modules/libs/inner/info/exclude'), 'excluded\n');
  tree.write('libs/inner/forced.log', 'tracked there');
  await tree.sh('cd libs/inner && git add -f forced.log');
  const candidate = await readWithNames(tree);
  expect(paths(candidate).filter((file) => file.startsWith('libs/'))).toEqual([
    'libs/inner/.gitignore',
    'libs/inner/a.tmp',
    'libs/inner/clean.txt',
    'libs/inner/dirty.txt',
    'libs/inner/forced.log',
    'libs/inner/package/inner.txt',
  ]);
  expect(candidate.nested).toEqual([]);
});

test('R6: a nested repository that is not a submodule is reported, and its exclude file hides nothing', async () => {
  const tree = await repository();
  tree.write('inner/a.txt', '1');
  await tree.sh('cd inner && git init -q && echo a.txt > .git/info/exclude');
  const candidate = await readWithNames(tree);
  expect(candidate.nested).toEqual(['inner']);
  expect(paths(candidate)).toContain('inner/a.txt');
});

test('R6: a link that leads out of the tree by any route is refused, and is still one of the files that git would commit', async () => {
  const tree = await repository();
  tree.write('d/e/file.txt', '');
  symlinkSync('/etc/hostname', tree.at('absolute'));
  symlinkSync('../outside', tree.at('up'));
  symlinkSync('../..', tree.at('d/e/home'));
  symlinkSync('home/../outside', tree.at('d/e/through'));
  symlinkSync('e/../../clean.txt', tree.at('d/inside'));
  symlinkSync('circle', tree.at('circle'));
  const received: string[] = [];
  const receive = (file: { readonly path: string }) => void received.push(file.path);
  const candidate = readCandidate(tree.folder, { exclude: [], receive });
  expect(candidate.refused.map(({ path: file, reason }) => `${reason} ${file}`).sort()).toEqual([
    'link_out absolute',
    'link_out d/e/through',
    'link_out up',
  ]);
  expect(candidate.tree.id).toBe(await treeOfGit(tree));
  const refused = candidate.refused.map((each) => each.path);
  expect(received.sort()).toEqual(paths(candidate).filter((file) => !refused.includes(file)));
});

test('R6: a pipe is refused without waiting for a writer', async () => {
  const tree = await repository();
  await tree.sh('mkfifo pipe ignored.log');
  expect(readCandidate(tree.folder, none).refused).toEqual([{ path: 'pipe', reason: 'special' }]);
});

test('R6: the receiver gets every byte of every file, and the target of every link', async () => {
  const tree = await repository();
  symlinkSync('clean.txt', tree.at('link'));
  const bytes = Buffer.from(Array.from({ length: 600_000 }, (_, index) => index % 251));
  writeFileSync(tree.at('large.bin'), bytes);
  const received = new Map<string, Buffer>();
  readCandidate(tree.folder, { exclude: [], receive: (file, part) => void received.set(file.path, Buffer.from(part)) });
  expect(received.get('large.bin')?.equals(bytes)).toBe(true);
  expect(received.get('link')?.toString()).toBe('clean.txt');
  expect(received.get('dirty.txt')?.toString()).toBe('changed once');
});

test('our own state does not count, also when its path goes through a link', async () => {
  const tree = await repository();
  tree.write('.ralph/state/a.json', '');
  tree.write('.ralph/config.yaml', '');
  const alias = emptyFolder();
  symlinkSync(tree.folder, alias.at('alias'));
  const exclude = [alias.at('alias/.ralph/state'), tree.at('.ralph/not-there-yet')];
  const found = paths(readCandidate(tree.folder, { exclude })).filter((file) => file.startsWith('.ralph'));
  expect(found).toEqual(['.ralph/config.yaml']);
});

test('outside git, generated folders do not count and .gitignore files apply', () => {
  const tree = emptyFolder();
  tree.write('.gitignore', '*.log\n');
  tree.write('a.txt', '');
  tree.write('a.log', '');
  tree.write('node_modules/a/index.js', '');
  tree.write('env/pyvenv.cfg', '');
  tree.write('.hg/store', '');
  expect(paths(readCandidate(tree.folder, none))).toEqual(['.gitignore', 'a.txt']);
});

test('the top is that of the surrounding work tree, unless it ignores the work folder', async () => {
  const tree = await repository();
  tree.write('.gitignore', 'build/\n');
  tree.write('build/deep/a.txt', '');
  const real = await said(tree, 'pwd -P');
  expect(findTop(tree.at('package'))).toBe(real);
  expect(findTop(tree.at('build/deep'))).toBe(path.join(real, 'build/deep'));
  expect(findTop(emptyFolder().folder)).toContain('ralphd workspace');
});

/** Makes all files old, so that only their times show whether they changed. */
async function aged(tree: Tree): Promise<Candidate> {
  const candidate = await readWithNames(tree);
  return { ...candidate, readAtMs: candidate.readAtMs + 60_000 };
}

test('R6: a file that was swapped under the same size and modification time differs', async () => {
  const tree = await repository();
  utimesSync(tree.at('clean.txt'), 1_000, 1_000);
  const candidate = await aged(tree);
  expect(changedSince(candidate, none)).toEqual([]);
  await waitForAnotherTick(tree);
  tree.write('clean.txt', 'cle4n');
  utimesSync(tree.at('clean.txt'), 1_000, 1_000);
  expect(changedSince(candidate, none)).toEqual(['clean.txt']);
});

test('R6: a file that was swapped within one tick of the clock differs', async () => {
  const tree = await repository();
  const candidate = await readWithNames(tree);
  const swapped = {
    ...candidate,
    files: candidate.files.map((file) => (file.path === 'clean.txt' ? { ...file, id: '0'.repeat(40) } : file)),
  };
  expect(changedSince(swapped, none)).toEqual(['clean.txt']);
});

test('R6: new files, deleted files, changed modes and links in place of files differ; a file rewritten with the same content does not', async () => {
  const tree = await repository();
  tree.write('mode.sh', '');
  tree.write('link.txt', '');
  tree.write('folder/a.txt', '');
  const candidate = await aged(tree);
  await waitForAnotherTick(tree);
  tree.write('new.txt', '');
  tree.write('new.log', 'ignored');
  tree.remove('dirty.txt');
  chmodSync(tree.at('mode.sh'), 0o755);
  renameSync(tree.at('link.txt'), tree.at('target.txt'));
  symlinkSync('target.txt', tree.at('link.txt'));
  renameSync(tree.at('folder'), tree.at('moved'));
  tree.write('clean.txt', readFileSync(tree.at('clean.txt'), 'utf8'));
  expect(changedSince(candidate, none)).toEqual([
    'dirty.txt',
    'folder/a.txt',
    'link.txt',
    'mode.sh',
    'moved/a.txt',
    'new.txt',
    'target.txt',
  ]);
});

test('R6: files hidden by a new ignore rule after they were read differ', async () => {
  const tree = await repository();
  const candidate = await readWithNames(tree);
  tree.write('.git/info/exclude', 'package/\n');
  expect(changedSince(candidate, none)).toEqual(['package/inner.txt']);
});

/** File times have the resolution of a clock tick: waits for the next one. */
async function waitForAnotherTick(tree: Tree): Promise<void> {
  const stamp = () => {
    tree.write('.git/tick', '');
    return readCandidate(tree.at('.git'), none).files.find((file) => file.path === 'tick')?.stamp.ctimeNs;
  };
  const before = stamp();
  await expect.poll(stamp, { interval: 1 }).not.toBe(before);
}
