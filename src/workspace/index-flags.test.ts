import { expect, test } from 'vitest';
import { hasFlaggedFiles } from './index-flags.ts';
import { toRaw } from './raw-path.ts';
import { emptyFolder, type Tree } from './testing/tree.ts';

const flagged = (tree: Tree, algorithm = 'sha1') => hasFlaggedFiles(toRaw(tree.at('.git/index')), algorithm);

async function indexed(init = 'git init -q'): Promise<Tree> {
  const tree = emptyFolder();
  for (const name of ['a', 'bc', 'deep/er/file', 'deep/er/other', 'n'.repeat(200)]) tree.write(name, name);
  tree.write('last', '');
  // Longer than an entry can count.
  const long = `${'d'.repeat(200)}/`.repeat(21);
  await tree.sh(`${init} && git add . && id=$(git hash-object last) &&
    git update-index --add --cacheinfo "100644,$id,${long}e"`);
  return tree;
}

test.each([2, 4])('a flag is found wherever it is in an index of version %d', async (version) => {
  const tree = await indexed();
  await tree.sh(`git update-index --index-version ${version}`);
  expect(flagged(tree)).toBe(false);
  await tree.sh('git update-index --assume-unchanged last');
  expect(flagged(tree)).toBe(true);
  await tree.sh('git update-index --no-assume-unchanged last && git update-index --skip-worktree last');
  expect(flagged(tree)).toBe(true);
  await tree.sh('git update-index --no-skip-worktree last && touch new && git add --intent-to-add new');
  expect(flagged(tree)).toBe(false);
});

test('an index with longer hashes is read too', async () => {
  const tree = await indexed('git init -q --object-format=sha256');
  expect(flagged(tree, 'sha256')).toBe(false);
  await tree.sh('git update-index --assume-unchanged last');
  expect(flagged(tree, 'sha256')).toBe(true);
});

test('without an index nothing is flagged; what cannot be read is left to git', async () => {
  const tree = await indexed();
  await tree.sh('cp .git/index whole && git update-index --split-index && git update-index --assume-unchanged a');
  expect(flagged(tree)).not.toBe(false);
  await tree.sh('head -c 200 whole > .git/index');
  expect(flagged(tree)).toBeUndefined();
  tree.write('.git/index', 'DIRC and something else');
  expect(flagged(tree)).toBeUndefined();
  tree.remove('.git/index');
  expect(flagged(tree)).toBe(false);
});

test('nobody waits for a pipe in place of the index', async () => {
  const tree = await indexed();
  await tree.sh('rm .git/index && mkfifo .git/index');
  expect(flagged(tree)).toBeUndefined();
});
