import { readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runToEnd } from '../../process/index.ts';
import { takeFingerprint } from '../fingerprint.ts';
import { countingGit } from '../testing/counting-git.ts';
import { emptyFolder, env, repository, type Tree } from '../testing/tree.ts';
import { readDiffStat, readPatch } from './diff-reader.ts';
import { createDiffStore } from './diff-store.ts';

/** A loop that looks at a tree before and after something happens to it. */
function watched(tree: Tree, searchPath = env.PATH) {
  const within = tree.at('.ralph');
  tree.write('.ralph/.gitignore', '*\n');
  const place = {
    objects: path.join(within, 'diffs'),
    within,
    workingDirectory: tree.folder,
    env: { ...env, PATH: searchPath },
  };
  const store = createDiffStore(place);
  const look = () => takeFingerprint(tree.folder, { env, exclude: [within] });
  const after = async (act: () => unknown) => {
    const before = await look();
    await store.keep(before);
    await act();
    return await store.compare(before, await look());
  };
  const patchAfter = async (act: () => unknown) => {
    const kept = await after(act);
    if (kept === undefined) return 'no diff';
    const { text } = (await readPatch(place, kept.trees, 100_000)) ?? { text: 'gone' };
    return text.replaceAll(/^index .*\n/gm, '');
  };
  return { place, store, look, after, patchAfter };
}

test('the diff of a run shows what it changed, also in files that were changed before it', async () => {
  const tree = await repository();
  const { patchAfter, after } = watched(tree);
  const patch = await patchAfter(async () => {
    tree.write('dirty.txt', 'changed twice\n');
    tree.write('new.txt', 'one\ntwo\n');
    tree.remove('clean.txt');
    await tree.sh('git add -A && git commit -qm second');
  });
  expect(patch).toMatchInlineSnapshot(`
    "diff --git a/clean.txt b/clean.txt
    deleted file mode 100644
    --- a/clean.txt
    +++ /dev/null
    @@ -1 +0,0 @@
    -clean
    \\ No newline at end of file
    diff --git a/dirty.txt b/dirty.txt
    --- a/dirty.txt
    +++ b/dirty.txt
    @@ -1 +1 @@
    -changed once
    \\ No newline at end of file
    +changed twice
    diff --git a/new.txt b/new.txt
    new file mode 100644
    --- /dev/null
    +++ b/new.txt
    @@ -0,0 +1,2 @@
    +one
    +two
    "
  `);
  const kept = await after(() => tree.write('new.txt', 'one\n2\nthree\n'));
  expect(kept?.lines).toEqual({ added: 2, removed: 1 });
});

test('what ralphd itself writes is in no diff, even where an agent commits it', async () => {
  const tree = await repository();
  const { after, place } = watched(tree);
  const kept = await after(async () => {
    tree.write('.ralph/journal', 'facts\n');
    tree.write('work.txt', 'work\n');
    await tree.sh('git add -f -A && git commit -qm everything');
  });
  expect(kept && (await readDiffStat(place, kept.trees))).toEqual([{ path: 'work.txt', added: 1, removed: 0 }]);
});

test('a file that is too large, binary or no file at all is named, and its lines are not counted', async () => {
  const tree = await repository();
  const { after, place } = watched(tree);
  const kept = await after(async () => {
    tree.write('large.txt', 'line\n'.repeat(300_000));
    writeFileSync(tree.at('binary.dat'), Buffer.from([0, 1, 2]));
    await tree.sh(`mkfifo pipe && ln -s /etc/passwd link && printf x > "$(printf 'caf\\351.txt')"`);
  });
  expect(kept?.lines).toEqual({ added: 1, removed: 0 });
  expect(kept && (await readDiffStat(place, kept.trees))).toEqual([
    { path: 'binary.dat', added: null, removed: null },
    { path: 'caf\ufffd.txt', added: null, removed: null },
    { path: 'large.txt', added: null, removed: null },
    { path: 'link', added: 1, removed: 0 },
  ]);
  expect(readdirSync(place.objects).length).toBeGreaterThan(0);
  const again = await after(() => tree.write('small.txt', 'small\n'));
  expect(again && (await readDiffStat(place, again.trees))).toEqual([{ path: 'small.txt', added: 1, removed: 0 }]);
});

test('a patch never has more bytes than requested', async () => {
  const tree = await repository();
  const { after, place } = watched(tree);
  const kept = await after(() => tree.write('long.txt', 'a line of text\n'.repeat(50_000)));
  const patch = kept && (await readPatch(place, kept.trees, 10_000));
  expect(patch?.isWhole).toBe(false);
  expect(patch?.text).toHaveLength(10_000);
});

test('filters, hooks and drivers that an agent adds to the repository do not run', async () => {
  const tree = await repository();
  tree.write('.gitattributes', '*.txt filter=evil diff=evil\n');
  tree.write('evil.sh', '#!/bin/sh\ntouch "$(dirname "$0")/ran"\ncat\n');
  await tree.sh('chmod +x evil.sh && git add -A && git commit -qm attributes');
  const evil = ['filter.evil.clean', 'diff.evil.command', 'diff.evil.textconv', 'diff.external', 'core.pager'];
  for (const name of evil) await tree.sh(`git config ${name} "'${tree.at('evil.sh')}'"`);
  await tree.sh('mkdir -p .git/hooks && cp evil.sh .git/hooks/post-index-change');
  const { store, look, place } = watched(tree);
  const before = await look();
  await store.keep(before);
  tree.write('clean.txt', 'changed\n');
  const after = await look();
  // Git's own status may run a filter; what a diff adds to it may not.
  await tree.sh('rm -f ran');
  const kept = await store.compare(before, after);
  expect(kept?.lines).toEqual({ added: 1, removed: 1 });
  expect(kept && (await readPatch(place, kept.trees, 1_000))?.text).toContain('+changed');
  expect(readdirSync(tree.folder)).not.toContain('ran');
  await tree.sh('git --no-pager diff > /dev/null && test -e ran');
});

test('a repository that an agent removes or replaces costs the diff and nothing else', async () => {
  const tree = await repository();
  const { after } = watched(tree);
  const replace = 'rm -rf .git && git init -q -b other && git add . && git commit -qm other';
  expect(await after(() => tree.sh(replace))).toBeUndefined();
  expect(await after(() => tree.write('next.txt', 'next\n'))).toMatchObject({ lines: { added: 1, removed: 0 } });
  expect(await after(() => tree.sh('rm -rf .git'))).toBeUndefined();
});

test('kept objects that an agent removes are missed, and new ones are kept again', async () => {
  const tree = await repository();
  const { after, place } = watched(tree);
  const kept = await after(() => tree.write('dirty.txt', 'changed twice\n'));
  await tree.sh('rm -rf .ralph');
  expect(kept && (await readDiffStat(place, kept.trees))).toBeUndefined();
  expect(kept && (await readPatch(place, kept.trees, 1_000))).toBeUndefined();
  tree.write('.ralph/.gitignore', '*\n');
  expect(await after(() => tree.write('new.txt', 'new\n'))).toMatchObject({ lines: { added: 1, removed: 0 } });
});

test('a link in the place of the kept objects is not followed', async () => {
  const tree = await repository();
  const { after } = watched(tree);
  tree.write('elsewhere/.keep', '');
  symlinkSync(tree.at('elsewhere'), tree.at('.ralph/diffs'));
  expect(await after(() => tree.write('new.txt', 'new\n'))).toBeUndefined();
  expect(readdirSync(tree.at('elsewhere'))).toEqual(['.keep']);
});

test('only their owner can read kept objects', async () => {
  const tree = await repository();
  const { after, place } = watched(tree);
  await after(() => tree.write('new.txt', 'new\n'));
  const files = readdirSync(place.objects, { recursive: true, withFileTypes: true });
  const modes = files.map(({ parentPath, name }) => statSync(path.join(parentPath, name)).mode & 0o077);
  expect(new Set(modes)).toEqual(new Set([0]));
});

test('a folder that takes the place of a file, a submodule and a repository before its first commit are no trouble', async () => {
  const tree = emptyFolder();
  await tree.sh('git init -q -b main');
  tree.write('a', 'file\n');
  const { after, place } = watched(tree);
  const kept = await after(async () => {
    tree.remove('a');
    tree.write('a/b', 'inner\n');
    await tree.sh('git init -q sub && cd sub && git commit -q --allow-empty -m inner');
  });
  expect(kept && (await readDiffStat(place, kept.trees))).toEqual([
    { path: 'a', added: 0, removed: 1 },
    { path: 'a/b', added: 1, removed: 0 },
    { path: 'sub', added: 1, removed: 0 },
  ]);
});

test('a repository with another hash and one with converted line endings have diffs too', async () => {
  const tree = emptyFolder();
  await tree.sh('git init -q -b main --object-format=sha256');
  tree.write('.gitattributes', '*.txt text eol=crlf\n');
  tree.write('a.txt', 'one\r\ntwo\r\n');
  await tree.sh('git add . && git commit -qm first');
  const { after } = watched(tree);
  expect(await after(() => tree.write('a.txt', 'one\r\n2\r\n'))).toMatchObject({ lines: { added: 1, removed: 1 } });
});

test('outside git there is no diff, and nothing is written', async () => {
  const tree = emptyFolder();
  const { after } = watched(tree);
  expect(await after(() => tree.write('new.txt', 'new\n'))).toBeUndefined();
  expect(readdirSync(tree.at('.ralph'))).toEqual(['.gitignore']);
});

test('a content that could not be kept in time does not look like a change once it can be', async () => {
  const tree = await repository();
  const { store, look, place } = watched(tree);
  const start = await look();
  tree.write('busy.txt', 'first\n');
  const first = await look();
  tree.write('busy.txt', 'replaced at once\n');
  expect(await store.compare(start, first)).toMatchObject({ lines: { added: 0, removed: 0 } });
  tree.write('busy.txt', 'first\n');
  tree.write('other.txt', 'other\n');
  const kept = await store.compare(first, await look());
  expect(kept && (await readDiffStat(place, kept.trees))).toEqual([{ path: 'other.txt', added: 1, removed: 0 }]);
});

// In git's order a folder counts as if its name ended with a slash.
const names = ['a', 'a.b', 'a-b', 'a0', 'a/b', 'a/b/c', 'a/b.c', 'd/e/f/g', 'd/e/h', 'é/ü', 'line\nbreak/x'];

test('the trees of all states are those that git itself writes', async () => {
  const tree = emptyFolder();
  await tree.sh('git init -q && mkdir d && touch d/link && git add . && git commit -qm first');
  const { after } = watched(tree);
  tree.write('.ralph/own', 'ours\n');
  await tree.sh('git add -f .ralph/own && git commit -qm ours');
  let seed = 20;
  const random = (bound: number) => (seed = (seed * 48_271) % 2_147_483_647) % bound;
  for (let round = 0; round < 5; round += 1) {
    const kept = await after(async () => {
      tree.write('round', String(round));
      for (const name of names.filter(() => random(2) === 0)) {
        if (random(3) === 0) rmSync(tree.at(name), { recursive: true, force: true });
        else replace(tree, name, `${random(1_000)}\n`);
      }
      if (round === 2) await tree.sh('git add . && git commit -qm next');
    });
    expect(`${kept?.trees.after}\n`).toBe(await gitsOwnTree(tree));
  }
});

/** Writes a file, whatever is in its place or above it. */
function replace(tree: Tree, name: string, text: string): void {
  for (let above = path.dirname(name); above !== '.'; above = path.dirname(above)) {
    if (statSync(tree.at(above), { throwIfNoEntry: false })?.isFile()) rmSync(tree.at(above));
  }
  rmSync(tree.at(name), { recursive: true, force: true });
  tree.write(name, text);
}

async function gitsOwnTree(tree: Tree): Promise<string> {
  const line = 'rm -f .git/x && git add . && git rm -rqf --cached --ignore-unmatch .ralph && git write-tree';
  const own = { ...env, GIT_INDEX_FILE: tree.at('.git/x') };
  return (await runToEnd({ command: line, cwd: tree.folder, env: own })).output;
}

test('a state that was seen before can follow another one', async () => {
  const tree = await repository();
  const { after } = watched(tree);
  await after(() => tree.write('package/new.txt', 'new\n'));
  tree.remove('package/new.txt');
  expect(await after(() => tree.write('package/new.txt', 'new\n'))).toMatchObject({ lines: { added: 1, removed: 0 } });
});

test('without a folder of the commit there is no diff', async () => {
  const tree = await repository();
  const { store, look } = watched(tree);
  tree.write('package/old.txt', 'old\n');
  const before = await look();
  await store.keep(before);
  tree.write('package/new.txt', 'new\n');
  const after = await look();
  await tree.sh('id=$(git rev-parse HEAD:package) && rm -f .git/objects/??/"${id#??}"');
  expect(await store.compare(before, after)).toBeUndefined();
});

test('a diff takes two processes, and one where the folders of the commit are known', async () => {
  const git = countingGit(env.PATH);
  const tree = await repository();
  const { after } = watched(tree, git.searchPath);
  await after(() => tree.write('package/inner.txt', 'new\n'));
  expect(git.calls()).toEqual(['cat-file', 'diff-tree']);
  await after(() => tree.write('package/inner.txt', 'newer\n'));
  expect(git.calls()).toEqual(['diff-tree']);
});

test('a run that commits everything in a clean tree has a diff', async () => {
  const tree = await repository();
  await tree.sh('git add -A && git commit -qm clean');
  const { after } = watched(tree);
  const kept = await after(async () => await tree.sh('echo new > new.txt && git add -A && git commit -qm more'));
  expect(kept?.lines).toEqual({ added: 1, removed: 0 });
});
