import { existsSync } from 'node:fs';
import path from 'node:path';
import { absent } from './content.ts';
import { git, gitSucceeds } from './git.ts';
import { parseDiff } from './git-status.ts';
import { toText } from './raw-path.ts';
import { isReadError, Unreadable } from './unreadable.ts';
import { branchTip, isContained } from './worktree.ts';
import { uncommittedFiles, worktreeOf } from './worktree-list.ts';

/** How a branch is brought into another. */
export type MergeMethod = 'auto' | 'merge' | 'ff-only' | 'squash';

/** The commit that contains both branches, or why there is none. */
export type MergeResult =
  | { readonly kind: 'merged'; readonly commit: string; readonly method: 'fast-forward' | 'merge' | 'squash' }
  | { readonly kind: 'conflict'; readonly files: readonly string[] }
  | { readonly kind: 'not_fast_forward' };

/** What is merged, and how. */
export interface MergeRequest {
  readonly base: string;
  readonly tip: string;
  readonly method: MergeMethod;
  readonly message: string;
}

/** Checks a commit out into a new folder, without a branch. */
export async function addScratch(
  repository: string,
  { folder, commit }: { readonly folder: string; readonly commit: string },
  env: NodeJS.ProcessEnv,
): Promise<void> {
  await git(repository, { args: ['worktree', 'add', '--quiet', '--detach', folder, commit], env });
}

/** Merges in a scratch work tree whose HEAD is the base; no branch moves. */
export async function mergeInScratch(
  scratch: string,
  { base, tip, method, message }: MergeRequest,
  env: NodeJS.ProcessEnv,
): Promise<MergeResult> {
  const canForward = await isContained(scratch, { commit: base, within: tip }, env);
  if (method === 'ff-only' && !canForward) return { kind: 'not_fast_forward' };
  if (canForward && (method === 'auto' || method === 'ff-only')) {
    await git(scratch, { args: ['checkout', '--quiet', '--force', '--detach', tip], env });
    return { kind: 'merged', commit: tip, method: 'fast-forward' };
  }
  const identity = await identityFor(scratch, env);
  const how = method === 'squash' ? ['--squash'] : ['--no-ff', '--no-edit', '-m', message];
  const isMerged = await gitSucceeds(scratch, { args: [...identity, 'merge', '--quiet', ...how, tip], env });
  if (!isMerged) {
    const files = await conflictingFiles(scratch, env);
    if (files.length > 0) return { kind: 'conflict', files };
    throw new Unreadable(`git cannot merge ${tip} into ${base}`);
  }
  if (method === 'squash') await commitAll(scratch, message, env);
  const commit = (await git(scratch, { args: ['rev-parse', 'HEAD'], env })).toString().trim();
  return { kind: 'merged', commit, method: method === 'squash' ? 'squash' : 'merge' };
}

async function conflictingFiles(scratch: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  return namesOf(await git(scratch, { args: ['diff', '--name-only', '--diff-filter=U', '-z'], env }));
}

/** Commits everything that differs and is not ignored, and returns the commit. */
export async function commitAll(top: string, message: string, env: NodeJS.ProcessEnv): Promise<string> {
  await git(top, { args: ['add', '--all', '--', ':/'], env });
  await git(top, { args: [...(await identityFor(top, env)), 'commit', '--quiet', '-m', message], env });
  return (await git(top, { args: ['rev-parse', 'HEAD'], env })).toString().trim();
}

/** The user's own identity, or ours where git knows none. */
async function identityFor(folder: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const isKnown = await gitSucceeds(folder, { args: ['var', 'GIT_COMMITTER_IDENT'], env });
  return isKnown ? [] : ['-c', 'user.name=ralphd', '-c', 'user.email=ralphd@localhost'];
}

/** A branch that is to move from one commit to another. */
export interface Move {
  readonly branch: string;
  readonly from: string;
  readonly to: string;
}

/**
 * The files of the work tree that has the branch checked out which the move would overwrite although they are not
 * committed, ignored ones included; undefined if the branch is checked out nowhere.
 */
export async function filesInTheWay(
  repository: string,
  move: Move,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly folder: string; readonly files: readonly string[] } | undefined> {
  const holder = await worktreeOf(repository, move.branch, env);
  if (holder === undefined) return undefined;
  return { folder: holder.path, files: (await uncommittedIn(holder.path, move, env)).other };
}

/**
 * Moves a branch if it is still where it was, together with the work tree that has it checked out; false, and nothing
 * changed, if it has moved.
 */
export async function moveBranch(repository: string, move: Move, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { branch, from, to } = move;
  const holder = await worktreeOf(repository, branch, env);
  const hasMoved = async () => (await branchTip(repository, branch, env)) !== from;
  if (holder === undefined) {
    const args = ['update-ref', '-m', 'ralphd land', `refs/heads/${branch}`, to, from];
    if (await gitSucceeds(repository, { args, env })) return true;
    if (await hasMoved()) return false;
    throw new Unreadable(`git cannot move ${branch} to ${to}`);
  }
  if (await hasMoved()) return false;
  const { same } = await uncommittedIn(holder.path, move, env);
  if (same.length > 0) await git(holder.path, { args: ['add', '--all', '--', ...same], env });
  try {
    // Git itself fails here if the branch moves meanwhile, or if a file would be overwritten.
    await git(holder.path, { args: ['merge', '--ff-only', '--quiet', to], env });
    return true;
  } catch (error) {
    if (isReadError(error) && (await hasMoved())) return false;
    throw error;
  }
}

interface Uncommitted {
  /** Those that already have their new content, such as after a move that was interrupted. */
  readonly same: readonly string[];
  readonly other: readonly string[];
}

/** The files that a move changes and that are not committed. */
async function uncommittedIn(top: string, { from, to }: Move, env: NodeJS.ProcessEnv): Promise<Uncommitted> {
  const changes = parseDiff(
    await git(top, { args: ['diff-tree', '-r', '-z', '--raw', '--no-renames', from, to], env }),
  );
  const uncommitted = new Set(await uncommittedFiles(top, env));
  const exists = (file: string) => existsSync(path.join(top, file));
  const files = [...changes]
    .map(([file, { before }]) => ({ file: toText(file), isNew: before === absent }))
    .filter(({ file, isNew }) => uncommitted.has(file) || (isNew && exists(file)))
    .map(({ file }) => file)
    .sort();
  if (files.length === 0) return { same: [], other: [] };
  const present = files.filter(exists);
  const found = present.length === 0 ? [] : await idsOf(top, present, env);
  const now = new Map(present.map((file, index) => [file, found[index]]));
  const wanted = await idsIn(top, { commit: to, files }, env);
  const isSame = (file: string) => now.get(file) === wanted.get(file);
  return { same: files.filter(isSame), other: files.filter((file) => !isSame(file)) };
}

async function idsOf(top: string, files: readonly string[], env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  try {
    return (await git(top, { args: ['hash-object', '--', ...files], env })).toString().trim().split('\n');
  } catch (error) {
    // A folder where a file is to be: it is in the way, whatever is in it.
    if (!isReadError(error)) throw error;
    return [];
  }
}

async function idsIn(
  top: string,
  { commit, files }: { readonly commit: string; readonly files: readonly string[] },
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, string>> {
  const listed = namesOf(await git(top, { args: ['ls-tree', '-r', '-z', '--full-tree', commit, '--', ...files], env }));
  return new Map(
    listed.map((entry) => {
      const tab = entry.indexOf('\t');
      return [entry.slice(tab + 1), entry.slice(0, tab).split(' ')[2] ?? ''];
    }),
  );
}

function namesOf(listed: Buffer): readonly string[] {
  return listed
    .toString('utf8')
    .split('\0')
    .filter((name) => name !== '');
}
