import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runToEnd } from '../process/index.ts';
import { type Changes, changesBetween } from './changes.ts';
import { takeFingerprint } from './fingerprint.ts';

const env = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};

interface Tree {
  readonly folder: string;
  write(file: string, text: string): void;
  remove(file: string): void;
  sh(line: string): Promise<void>;
}

function emptyFolder(): Tree {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd workspace '));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return {
    folder,
    write: (file, text) => {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    },
    remove: (file) => rmSync(path.join(folder, file), { recursive: true }),
    sh: async (line) => {
      const { ending, output } = await runToEnd({ command: line, cwd: folder, env });
      expect({ ending, output }).toMatchObject({ ending: { kind: 'exited', code: 0 } });
    },
  };
}

/** A repository with one commit, an ignore rule and a file that is already changed. */
async function repository(): Promise<Tree> {
  const tree = emptyFolder();
  tree.write('.gitignore', '*.log\n');
  tree.write('clean.txt', 'clean');
  tree.write('dirty.txt', 'committed');
  tree.write('package/inner.txt', 'inner');
  await tree.sh('git init -q && git add . && git commit -qm first');
  tree.write('dirty.txt', 'changed once');
  return tree;
}

async function changesBy(tree: Tree, act: () => unknown, { folder = tree.folder, exclude = [] as string[] } = {}) {
  const before = await takeFingerprint(folder, { env, exclude });
  await act();
  const after = await takeFingerprint(folder, { env, exclude, previous: before });
  return changesBetween(before, after, env);
}

/** Only what happened, as short lines. */
function happened(changes: Changes): string[] {
  return [
    ...(changes.known ? [] : ['unknown']),
    ...(changes.headMoved ? ['head'] : []),
    ...changes.modified.map((file) => `M ${file}`),
    ...changes.created.map((file) => `A ${file}`),
    ...changes.deleted.map((file) => `D ${file}`),
  ];
}

const situations: [title: string, act: (tree: Tree) => unknown, expected: string[]][] = [
  ['nothing', () => {}, []],
  ['a clean file is edited', (tree) => tree.write('clean.txt', 'edited'), ['M clean.txt']],
  ['a file that was already changed is changed again', (tree) => tree.write('dirty.txt', 'twice'), ['M dirty.txt']],
  ['an edit keeps the size', (tree) => tree.write('dirty.txt', 'changed 0nce'), ['M dirty.txt']],
  ['a changed file is put back', (tree) => tree.sh('git checkout -q dirty.txt'), ['M dirty.txt']],
  ['a file is only touched', (tree) => utimesSync(path.join(tree.folder, 'clean.txt'), 1, 1), []],
  ['a file is written anew with the same content', (tree) => tree.write('dirty.txt', 'changed once'), []],
  ['a new file is not tracked', (tree) => tree.write('new/file.txt', ''), ['A new/file.txt']],
  ['a new file is staged', (tree) => tree.sh('touch new.txt && git add .'), ['A new.txt']],
  ['what was there is staged', (tree) => tree.sh('git add .'), []],
  ['an ignored file appears', (tree) => tree.write('debug.log', 'noise'), []],
  ['a file is deleted', (tree) => tree.remove('clean.txt'), ['D clean.txt']],
  ['a file leaves only the index', (tree) => tree.sh('git rm -q --cached clean.txt'), []],
  ['a file is renamed', (tree) => tree.sh('git mv clean.txt moved.txt'), ['A moved.txt', 'D clean.txt']],
  ['a file becomes executable', (tree) => chmodSync(path.join(tree.folder, 'clean.txt'), 0o755), ['M clean.txt']],
  ['a commit is made of new work', (tree) => commit(tree), ['head', 'M clean.txt']],
  ['the work is only committed', (tree) => tree.sh('git commit -qam second'), ['head']],
  ['the commit is amended', (tree) => tree.sh('git commit -q --amend -m other'), ['head']],
  ['a commit is undone', (tree) => tree.sh('git rm -q clean.txt && git commit -qm gone'), ['head', 'D clean.txt']],
  ['a file becomes a link', (tree) => link(tree), ['M clean.txt']],
  ['a file becomes a folder', (tree) => folderInstead(tree), ['A clean.txt/in.txt', 'D clean.txt']],
  ['a name is not UTF-8', (tree) => tree.sh('printf x > "$(printf \'odd\\377\')"'), ['A odd\uFFFD']],
  ['a name has a line break', (tree) => tree.write('odd\nname', 'x'), ['A odd\nname']],
];

async function commit(tree: Tree): Promise<void> {
  tree.write('clean.txt', 'work');
  await tree.sh('git commit -qm second clean.txt');
}

function link(tree: Tree): void {
  tree.remove('clean.txt');
  symlinkSync('dirty.txt', path.join(tree.folder, 'clean.txt'));
}

function folderInstead(tree: Tree): void {
  tree.remove('clean.txt');
  tree.write('clean.txt/in.txt', 'x');
}

test.for(situations)('A088 A090 A099 R16: in a repository: %s', async ([, act, expected]) => {
  const tree = await repository();
  expect(happened(await changesBy(tree, () => act(tree)))).toEqual(expected);
});

test('a repository without a commit: files count, and so does the first commit', async () => {
  const tree = emptyFolder();
  tree.write('a.txt', 'a');
  await tree.sh('git init -q');
  expect(happened(await changesBy(tree, () => tree.write('a.txt', 'b')))).toEqual(['M a.txt']);
  expect(happened(await changesBy(tree, () => tree.sh('git add . && git commit -qm first')))).toEqual(['head']);
  const restart = () => tree.sh('git checkout -q --orphan new && git rm -rqf a.txt && touch b.txt');
  expect(happened(await changesBy(tree, restart))).toEqual(['head', 'A b.txt', 'D a.txt']);
});

test('a repository with SHA-256 ids is read as well', async () => {
  const tree = emptyFolder();
  tree.write('a.txt', 'a');
  await tree.sh('git init -q --object-format=sha256');
  const act = () => tree.sh('git add . && git commit -qm first');
  expect(happened(await changesBy(tree, act))).toEqual(['head']);
});

test('from a folder inside the repository, changes anywhere in it count and are named as seen from there', async () => {
  const tree = await repository();
  const act = () => {
    tree.write('package/inner.txt', 'changed');
    tree.write('clean.txt', 'changed');
  };
  const changes = await changesBy(tree, act, { folder: path.join(tree.folder, 'package') });
  expect(happened(changes)).toEqual(['M ../clean.txt', 'M inner.txt']);
});

test('a folder that the repository around it ignores is looked at by itself', async () => {
  const tree = await repository();
  tree.write('.gitignore', 'scratch/\n');
  tree.write('scratch/a.txt', 'a');
  const act = () => {
    tree.write('scratch/a.txt', 'b');
    tree.write('clean.txt', 'changed');
  };
  expect(happened(await changesBy(tree, act, { folder: path.join(tree.folder, 'scratch') }))).toEqual(['M a.txt']);
});

test('our own state never counts, tracked or not, committed or not, in a repository or not', async () => {
  for (const tree of [await repository(), emptyFolder()]) {
    const exclude = [path.join(tree.folder, '.ralph'), path.join(tree.folder, 'not/there')];
    const act = () => tree.sh('mkdir .ralph && touch .ralph/state.json .ralphd');
    expect(happened(await changesBy(tree, act, { exclude }))).toEqual(['A .ralphd']);
  }
  const tree = await repository();
  const exclude = [path.join(tree.folder, '.ralph')];
  const act = () => tree.sh('mkdir .ralph && touch .ralph/state.json && git add .ralph && git commit -qm state');
  expect(happened(await changesBy(tree, act, { exclude }))).toEqual(['head']);
});

test('work inside a nested repository counts, also a second edit', async () => {
  const tree = await repository();
  tree.write('nested/file.txt', '1');
  await tree.sh('git init -q nested');
  expect(happened(await changesBy(tree, () => tree.write('nested/file.txt', '2')))).toEqual(['M nested']);
  await tree.sh('cd nested && git add . && git commit -qm inner');
  await tree.sh('git -c advice.addEmbeddedRepo=false add nested && git commit -qm outer');
  expect(happened(await changesBy(tree, () => {}))).toEqual([]);
  expect(happened(await changesBy(tree, () => tree.write('nested/file.txt', '3')))).toEqual(['M nested']);
  expect(happened(await changesBy(tree, () => tree.write('nested/file.txt', '4')))).toEqual(['M nested']);
  expect(happened(await changesBy(tree, () => tree.remove('nested')))).toEqual(['D nested']);
});

test("the caller's git variables and the repository's monitor take no part", async () => {
  const tree = await repository();
  await tree.sh('git config core.fsmonitor "touch ran; false"');
  const hostile = { ...env, GIT_DIR: '/nonexistent', GIT_INDEX_FILE: '/nonexistent' };
  const before = await takeFingerprint(tree.folder, { env: hostile, exclude: [] });
  const after = await takeFingerprint(tree.folder, { env: hostile, exclude: [] });
  expect(happened(await changesBetween(before, after, hostile))).toEqual([]);
  expect(existsSync(path.join(tree.folder, 'ran'))).toBe(false);
});

test('outside a repository every file is compared by content', async () => {
  const tree = emptyFolder();
  for (const name of ['same.txt', 'edited.txt', 'deleted.txt', 'renamed.txt', 'mode.txt']) tree.write(name, name);
  tree.write('node_modules/x/index.js', '1');
  symlinkSync('same.txt', path.join(tree.folder, 'link'));
  symlinkSync('.', path.join(tree.folder, 'circle'));
  const act = () => {
    const edited = path.join(tree.folder, 'edited.txt');
    const { atime, mtime } = statSync(edited);
    tree.write('edited.txt', 'edited.TXT');
    utimesSync(edited, atime, mtime);
    tree.remove('deleted.txt');
    renameSync(path.join(tree.folder, 'renamed.txt'), path.join(tree.folder, 'new.txt'));
    chmodSync(path.join(tree.folder, 'mode.txt'), 0o755);
    tree.remove('link');
    symlinkSync('edited.txt', path.join(tree.folder, 'link'));
    tree.write('node_modules/x/index.js', '2');
    utimesSync(path.join(tree.folder, 'same.txt'), 1, 1);
  };
  expect(happened(await changesBy(tree, act))).toEqual([
    'M edited.txt',
    'M link',
    'M mode.txt',
    'A new.txt',
    'D deleted.txt',
    'D renamed.txt',
  ]);
});

test('long lists are cut, and the counts stay true', async () => {
  const tree = emptyFolder();
  const act = () => {
    for (let index = 0; index < 250; index += 1) tree.write(`file-${index}`, '');
  };
  const changes = await changesBy(tree, act);
  expect(changes.created).toHaveLength(200);
  expect(changes.counts).toEqual({ modified: 0, created: 250, deleted: 0 });
});

test('a work tree that cannot be read gives an unknown answer, never an empty one', async () => {
  const gone = emptyFolder();
  mkdirSync(path.join(gone.folder, 'work'));
  const folder = path.join(gone.folder, 'work');
  expect(happened(await changesBy(gone, () => gone.remove('work'), { folder }))).toEqual(['unknown']);
  mkdirSync(folder);

  const broken = await repository();
  expect(happened(await changesBy(broken, () => broken.write('.git/HEAD', 'nonsense')))).toEqual(['unknown']);

  const tree = await repository();
  const withoutGit = { env: { PATH: '/nonexistent' }, exclude: [] };
  const before = await takeFingerprint(tree.folder, withoutGit);
  expect(before.kind === 'unknown' && before.reason).toContain('git was not found');
  expect(happened(await changesBetween(before, before, env))).toEqual(['unknown']);
});

test('a lost old commit leaves the files unknown but not the move of HEAD', async () => {
  const tree = await repository();
  const before = await takeFingerprint(tree.folder, { env, exclude: [] });
  const after = await takeFingerprint(tree.folder, { env, exclude: [] });
  const lost = { ...before, head: 'f'.repeat(40) };
  expect(happened(await changesBetween(lost, after, env))).toEqual(['unknown', 'head']);
});

test('a repository made by the agent is progress once it has a commit, and unknown before', async () => {
  const tree = emptyFolder();
  tree.write('a.txt', 'a');
  expect(happened(await changesBy(tree, () => tree.sh('git init -q')))).toEqual(['unknown']);
  tree.remove('.git');
  const act = () => tree.sh('git init -q && git add . && git commit -qm first');
  expect(happened(await changesBy(tree, act))).toEqual(['head']);
  expect(happened(await changesBy(tree, () => tree.remove('.git')))).toEqual(['unknown']);
});
