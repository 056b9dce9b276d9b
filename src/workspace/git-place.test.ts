import { realpathSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findGitPlace } from './git-place.ts';
import { toRaw } from './raw-path.ts';
import { countingGit } from './testing/counting-git.ts';
import { env, repository } from './testing/tree.ts';

/** Asks for the top of the work tree; the calls of git follow it. */
function asking() {
  const git = countingGit(env.PATH);
  return async (folder: string) => {
    const { root } = await findGitPlace(folder, { ...env, PATH: git.searchPath });
    return [root, ...git.calls()];
  };
}

test('git is asked once where a repository is, also from a linked work tree', async () => {
  const ask = asking();
  const tree = await repository();
  const top = toRaw(realpathSync(tree.folder));
  await tree.sh('git worktree add -q linked');
  expect(await ask(tree.folder)).toEqual([top, 'rev-parse']);
  expect(await ask(tree.folder)).toEqual([top]);
  expect(await ask(tree.at('package'))).toEqual([top, 'rev-parse']);
  expect(await ask(tree.at('package'))).toEqual([top]);
  expect(await ask(tree.at('linked'))).toEqual([`${top}/linked`, 'rev-parse']);
  expect(await ask(tree.at('linked'))).toEqual([`${top}/linked`]);
});

test('a work tree that the settings move is asked for every time', async () => {
  const ask = asking();
  const tree = await repository();
  const top = toRaw(realpathSync(tree.folder));
  expect(await ask(tree.folder)).toEqual([top, 'rev-parse']);
  await tree.sh('git config core.worktree ../package');
  expect(await ask(tree.at('package'))).toEqual([`${top}/package`, 'rev-parse']);
  expect(await ask(tree.at('package'))).toEqual([`${top}/package`, 'rev-parse']);
});

test.each([
  ['loses its HEAD', 'rm inner/.git/HEAD'],
  ['gets a HEAD that is none', 'echo x > inner/.git/HEAD'],
  ['loses its objects', 'rm -r inner/.git/objects'],
  ['loses its references', 'rm -r inner/.git/refs'],
  ['is deleted', 'rm -r inner/.git'],
])('a repository that %s gives way to the one around it', async (_title, line) => {
  const ask = asking();
  const tree = await repository();
  const top = toRaw(realpathSync(tree.folder));
  await tree.sh('git init -q inner');
  expect(await ask(tree.at('inner'))).toEqual([`${top}/inner`, 'rev-parse']);
  expect(await ask(tree.at('inner'))).toEqual([`${top}/inner`]);
  await tree.sh(line);
  expect(await ask(tree.at('inner'))).toEqual([top, 'rev-parse']);
});

test('a new repository inside another one is noticed', async () => {
  const ask = asking();
  const tree = await repository();
  const top = toRaw(realpathSync(tree.folder));
  expect(await ask(tree.at('package'))).toEqual([top, 'rev-parse']);
  await tree.sh('git init -q package');
  expect(await ask(tree.at('package'))).toEqual([`${top}/package`, 'rev-parse']);
});
