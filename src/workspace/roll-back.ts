import path from 'node:path';
import { LoopError } from '../base/index.ts';
import { createTemporaryFolder } from '../files/index.ts';
import type { DiffTrees } from './diffs/diff-reader.ts';
import { type DiffPlace, openRepository } from './diffs/repository.ts';
import { git, gitSucceeds, type PrivateRepository } from './git.ts';
import { type RawPath, toText } from './raw-path.ts';
import { isReadError, Unreadable } from './unreadable.ts';

/** What was restored, and the git reference that keeps what there was; or why nothing was restored. */
export type RollbackResult =
  | { readonly ok: true; readonly files: string[]; readonly count: number; readonly backup: string }
  | { readonly ok: false; readonly message: string };

const maxListed = 200;
const none = '000000';

/**
 * Restores every path that differs between two kept trees to its state in the first. All files that git does not ignore
 * are committed to a reference of their own before that; the branch and the index of the user stay as they are.
 */
export async function rollBack(place: DiffPlace, trees: DiffTrees, name: string): Promise<RollbackResult> {
  try {
    using scratch = createTemporaryFolder();
    const { env } = place;
    const root = (await line(place.workingDirectory, ['rev-parse', '--show-toplevel'], env)) ?? '';
    const user = { root, env, indexFile: path.join(scratch.root, 'index') };
    using open = await openRepository(place, trees.before.length === 64 ? 'sha256' : 'sha1');
    const changes = await readChanges(open.repository, trees, env);
    await copyContents(open.repository, changes, user);
    const backup = await backUp(user, changes, name);
    await restore(user, changes, backup.commit);
    return {
      ok: true,
      files: changes.slice(0, maxListed).map(({ file }) => toText(file)),
      count: changes.length,
      backup: backup.ref,
    };
  } catch (error) {
    if (!isReadError(error) && !(error instanceof LoopError)) throw error;
    return { ok: false, message: error.message };
  }
}

/** A path, and what was there before. */
interface Change {
  readonly file: RawPath;
  readonly mode: string;
  readonly blob: string;
}

/** The user's repository, with an index of our own. */
interface UserRepository {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly indexFile: string;
}

async function readChanges(
  repository: PrivateRepository,
  { before, after }: DiffTrees,
  env: NodeJS.ProcessEnv,
): Promise<readonly Change[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', before, after];
  const output = (await git(repository.folder, { args, env, repository })).toString('latin1');
  const parts = output.split('\0');
  return parts.flatMap((head, index) => {
    const [, mode, blob] = /^:(\d+) \d+ ([0-9a-f]+) [0-9a-f]+ [A-Z]/.exec(head) ?? [];
    const file = parts[index + 1];
    return mode === undefined || blob === undefined || file === undefined ? [] : [{ file, mode, blob }];
  });
}

/** The user's repository gets the contents that only the loop has kept. */
async function copyContents(
  repository: PrivateRepository,
  changes: readonly Change[],
  { root, env }: UserRepository,
): Promise<void> {
  for (const { file, mode, blob } of changes) {
    if (mode === none) continue;
    if (mode === '160000') throw new Unreadable(`${toText(file)} is a repository of its own`);
    const input = await git(repository.folder, { args: ['cat-file', 'blob', blob], env, repository });
    if (input.subarray(0, notKept.length).toString() === notKept)
      throw new Unreadable(`${toText(file)} was too large to be kept`);
    await git(root, { args: ['hash-object', '-w', '--no-filters', '--stdin'], env, input });
  }
}

const notKept = '\0not kept: ';

/** Commits all current files, without the user's index, and keeps the commit under a new reference. */
async function backUp(
  user: UserRepository,
  changes: readonly Change[],
  name: string,
): Promise<{ readonly commit: string; readonly ref: string }> {
  const { root, env } = user;
  const head = await line(root, ['rev-parse', '--verify', '--quiet', 'HEAD'], env);
  if (head !== undefined) await git(root, { ...user, args: ['read-tree', head] });
  await git(root, { ...user, args: ['add', '--all', '--', ':/'] });
  // An iteration may have made git ignore a file that it changed.
  const listed = await git(root, { ...user, args: ['ls-files', '-z', '--others', '--ignored', '--exclude-standard'] });
  const ignored = new Set(listed.toString('latin1').split('\0'));
  const forced = changes.map(({ file }) => file).filter((file) => ignored.has(file));
  if (forced.length > 0) {
    const args = ['--literal-pathspecs', 'add', '--force', '--pathspec-from-file=-', '--pathspec-file-nul'];
    await git(root, { ...user, args, input: Buffer.from(forced.join('\0'), 'latin1') });
  }
  const tree = (await git(root, { ...user, args: ['write-tree'] })).toString().trim();
  const parents = head === undefined ? [] : ['-p', head];
  const message = 'ralphd: all files before a rollback';
  const commit = (await git(root, { args: [...identity, 'commit-tree', tree, ...parents, '-m', message], env }))
    .toString()
    .trim();
  const ref = await freeName(root, `refs/ralphd/${name}-before-rollback`, env);
  await git(root, { args: ['update-ref', ref, commit, ''], env });
  return { commit, ref };
}

const identity = ['-c', 'user.name=ralphd', '-c', 'user.email=ralphd@localhost'];

/** An earlier backup is never replaced. */
async function freeName(root: string, name: string, env: NodeJS.ProcessEnv): Promise<string> {
  for (let number = 1; ; number += 1) {
    const ref = number === 1 ? name : `${name}-${number}`;
    if (!(await gitSucceeds(root, { args: ['show-ref', '--verify', '--quiet', ref], env }))) return ref;
  }
}

/** Git itself moves the work tree from the backup to the wanted state; it refuses before it changes anything. */
async function restore(user: UserRepository, changes: readonly Change[], backup: string): Promise<void> {
  const { root, env } = user;
  const zeros = '0'.repeat(backup.length);
  // What is removed comes first: a folder may take the place of a file.
  const ordered = changes.toSorted((one, other) => Number(other.mode === none) - Number(one.mode === none));
  const entries = ordered.map(
    ({ file, mode, blob }) => `${mode === none ? '0' : mode} ${mode === none ? zeros : blob}\t${file}\0`,
  );
  await git(root, {
    ...user,
    args: ['update-index', '-z', '--index-info'],
    input: Buffer.from(entries.join(''), 'latin1'),
  });
  const wanted = (await git(root, { ...user, args: ['write-tree'] })).toString().trim();
  await git(root, { ...user, args: ['read-tree', backup] });
  await gitSucceeds(root, { ...user, args: ['update-index', '-q', '--refresh'] });
  await git(root, { env, indexFile: user.indexFile, args: ['read-tree', '-m', '-u', backup, wanted] });
}

async function line(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (!(await gitSucceeds(folder, { args, env }))) return undefined;
  return (await git(folder, { args, env })).toString().trimEnd();
}
