import { existsSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createTemporaryFolder } from '../../files/index.ts';
import { runToEnd } from '../../process/index.ts';
import { emptyFolder, env, repository, type Tree } from '../../workspace/testing/tree.ts';
import { dropBase, saveBase } from './base.ts';
import { openCheckout, removeCheckouts } from './checkout.ts';
import { findRepository, type Repository } from './repository.ts';

const isProtected = (file: string) => file.startsWith('tests/');
let loops = 0;

async function open(
  tree: Tree,
  folder = tree.folder,
): Promise<{ readonly repository: Repository; readonly loopId: string }> {
  const found = await findRepository(folder, env);
  if (found === undefined) throw new Error('no repository');
  loops += 1;
  const loopId = `ralph-checkout-${process.pid}-${loops}`;
  onTestFinished(() => removeCheckouts(found, loopId).catch(() => {}));
  return { repository: found, loopId };
}

/** The user's own state in git: index, branches, references, work trees. */
async function ownSide(tree: Tree): Promise<string> {
  const command = 'git status --porcelain; git stash list; git for-each-ref; git worktree list; git ls-files -s';
  return (await runToEnd({ command, cwd: tree.folder, env })).output;
}

const leftOf = (loopId: string) => readdirSync(tmpdir()).filter((name) => name.includes(loopId));

test('a checkout contains the present work without ignored files, and changes nothing of the user', async () => {
  const tree = await repository();
  tree.write('new.txt', 'untracked');
  tree.write('noise.log', 'ignored');
  tree.remove('clean.txt');
  await tree.sh('git add dirty.txt');
  tree.write('dirty.txt', 'changed twice');
  const before = await ownSide(tree);
  const { repository: found, loopId } = await open(tree);
  {
    await using checkout = await openCheckout(found, { loopId, share: [] });
    expect(readdirSync(checkout.folder).sort()).toEqual(['.git', '.gitignore', 'dirty.txt', 'new.txt', 'package']);
    expect(readFileSync(path.join(checkout.folder, 'dirty.txt'), 'utf8')).toBe('changed twice');
    const { output } = await runToEnd({ command: 'git status --porcelain', cwd: checkout.folder, env });
    expect(output).toBe('');
  }
  expect(await ownSide(tree)).toBe(before);
  expect(leftOf(loopId)).toEqual([]);
});

test('a work folder below the top, a repository without a commit, and a file marked as unchanged are checked out', async () => {
  const tree = await repository();
  await tree.sh('git update-index --assume-unchanged package/inner.txt');
  tree.write('package/inner.txt', 'edited');
  const { repository: found, loopId } = await open(tree, tree.at('package'));
  await using checkout = await openCheckout(found, { loopId, share: [] });
  expect(path.basename(checkout.folder)).toBe('package');
  expect(readFileSync(path.join(checkout.folder, 'inner.txt'), 'utf8')).toBe('edited');
  const young = emptyFolder();
  await young.sh('git init -q');
  young.write('a.txt', '1');
  const { repository: fresh, loopId: other } = await open(young);
  await using first = await openCheckout(fresh, { loopId: other, share: [] });
  expect(readFileSync(path.join(first.folder, 'a.txt'), 'utf8')).toBe('1');
});

test('existing ignored folders are shared by a link, and never replace a file of the work', async () => {
  const tree = await repository();
  tree.write('.gitignore', 'node_modules/\n');
  tree.write('node_modules/a/index.js', '');
  tree.write('vendor/kept.txt', 'tracked');
  const { repository: found, loopId } = await open(tree);
  await using checkout = await openCheckout(found, {
    loopId,
    share: ['node_modules', 'vendor', '.venv', '../outside'],
  });
  expect(readlinkSync(path.join(checkout.folder, 'node_modules'))).toBe(path.join(found.root, 'node_modules'));
  expect(existsSync(path.join(checkout.folder, 'vendor/kept.txt'))).toBe(true);
  expect(existsSync(path.join(checkout.folder, '.venv'))).toBe(false);
});

test('B132: a checkout contains the original protected files byte for byte, and none that were added later', async () => {
  const tree = await repository();
  tree.write('tests/edited.txt', 'before\r\n');
  tree.write('tests/deleted.txt', 'before');
  tree.write('.gitattributes', '* text=auto\n');
  const { repository: found, loopId } = await open(tree);
  const base = await saveBase(found, { loopId, isProtected });
  tree.write('tests/edited.txt', 'after');
  tree.remove('tests/deleted.txt');
  tree.write('tests/late.txt', 'after');
  tree.write('other.txt', 'after');
  await using checkout = await openCheckout(found, { loopId, share: [], strict: { base, isProtected } });
  const read = (name: string) => readFileSync(path.join(checkout.folder, name), 'utf8');
  expect(read('tests/edited.txt')).toBe('before\r\n');
  expect(read('tests/deleted.txt')).toBe('before');
  expect(read('other.txt')).toBe('after');
  expect(existsSync(path.join(checkout.folder, 'tests/late.txt'))).toBe(false);
  await dropBase(found, loopId);
  expect((await runToEnd({ command: 'git for-each-ref refs/ralphd', cwd: tree.folder, env })).output).toBe('');
});

test('B132: a filter that alters a protected file is detected', async () => {
  const tree = await repository();
  tree.write('tests/a.txt', 'exit 1');
  const { repository: found, loopId } = await open(tree);
  const base = await saveBase(found, { loopId, isProtected });
  tree.write('.gitattributes', 'tests/** filter=evil\n');
  await tree.sh('git config filter.evil.smudge "echo exit 0" && git config filter.evil.clean cat');
  const opening = openCheckout(found, { loopId, share: [], strict: { base, isProtected } });
  await expect(opening).rejects.toThrow('tests/a.txt could not be restored');
  expect(leftOf(loopId)).toEqual([]);
});

test('B132: a reference that was moved or deleted is noticed', async () => {
  const tree = await repository();
  tree.write('tests/a.txt', 'exit 1');
  const { repository: found, loopId } = await open(tree);
  const base = await saveBase(found, { loopId, isProtected });
  await tree.sh(`git update-ref ${base.ref} HEAD`);
  const strict = { base, isProtected };
  await expect(openCheckout(found, { loopId, share: [], strict })).rejects.toThrow('was moved or deleted');
  await tree.sh(`git update-ref -d ${base.ref}`);
  await expect(openCheckout(found, { loopId, share: [], strict })).rejects.toThrow('was moved or deleted');
});

test('B132: "git replace" does not affect the protected files', async () => {
  const tree = await repository();
  tree.write('tests/a.txt', 'exit 1');
  const { repository: found, loopId } = await open(tree);
  const base = await saveBase(found, { loopId, isProtected });
  tree.write('tests/a.txt', 'exit 0');
  await tree.sh(`git add -A && git replace ${base.commit} $(git commit-tree -m evil $(git write-tree))`);
  await using checkout = await openCheckout(found, { loopId, share: [], strict: { base, isProtected } });
  expect(readFileSync(path.join(checkout.folder, 'tests/a.txt'), 'utf8')).toBe('exit 1');
});

test('B132: a protected link is restored as the original link', async () => {
  const tree = await repository();
  tree.write('shared/cases.txt', 'cases');
  tree.write('tests/plain.txt', 'plain');
  symlinkSync('../shared/cases.txt', tree.at('tests/link.txt'));
  symlinkSync('nowhere', tree.at('tests/broken.txt'));
  const { repository: found, loopId } = await open(tree);
  const strict = { base: await saveBase(found, { loopId, isProtected }), isProtected };
  tree.remove('tests/link.txt');
  tree.write('tests/link.txt', 'mine');
  tree.remove('tests/broken.txt');
  symlinkSync('/etc/hostname', tree.at('tests/plain.txt.new'));
  {
    await using checkout = await openCheckout(found, { loopId, share: [], strict });
    expect(readdirSync(path.join(checkout.folder, 'tests')).sort()).toEqual(['broken.txt', 'link.txt', 'plain.txt']);
    expect(readFileSync(path.join(checkout.folder, 'tests/link.txt'), 'utf8')).toBe('cases');
    expect(readlinkSync(path.join(checkout.folder, 'tests/broken.txt'))).toBe('nowhere');
  }
  await tree.sh('git config core.symlinks false');
  await expect(openCheckout(found, { loopId, share: [], strict })).rejects.toThrow('could not be restored');
});

test('a nested repository is refused by name', async () => {
  const tree = await repository();
  tree.write('inner/a.txt', '1');
  await tree.sh('cd inner && git init -q && git add . && git commit -qm first');
  const { repository: found, loopId } = await open(tree);
  await expect(openCheckout(found, { loopId, share: [] })).rejects.toThrow('inner is a nested repository');
});

test('the next owner removes what a dead one left, registered with git or not, and nothing of other loops', async () => {
  const tree = await repository();
  const { repository: found, loopId } = await open(tree);
  await openCheckout(found, { loopId, share: [] });
  createTemporaryFolder(`gate-${loopId}`);
  const { loopId: other } = await open(tree);
  await using foreign = await openCheckout(found, { loopId: other, share: [] });
  expect(leftOf(loopId)).toHaveLength(2);
  await removeCheckouts(found, loopId);
  expect(leftOf(loopId)).toEqual([]);
  expect(await ownSide(tree)).not.toContain(loopId);
  expect(existsSync(foreign.folder)).toBe(true);
});

test('a folder without a repository, or ignored by the surrounding one, has no repository', async () => {
  expect(await findRepository(emptyFolder().folder, env)).toBeUndefined();
  const tree = await repository();
  tree.write('scratch.log/a.txt', '');
  expect(await findRepository(tree.at('scratch.log'), env)).toBeUndefined();
});
