import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { nodeFiles, quietly } from '../files/index.ts';
import { exists } from './content.ts';
import { git } from './git.ts';
import { type RawPath, toBytes, toName, toRaw, toText } from './raw-path.ts';
import { isReadError, LockedByGit } from './unreadable.ts';
import { branchTip } from './worktree.ts';
import { worktreeOf } from './worktree-list.ts';
import { writingMs } from './worktree-merge.ts';
import { type NewContents, uncommittedIn } from './worktree-uncommitted.ts';

/** A branch that is to move from one commit to another. */
export interface Move {
  readonly branch: string;
  readonly from: string;
  readonly to: string;
  /** Whether the same move was begun before: files that git had not finished then are not the user's. */
  readonly isContinued: boolean;
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
  return { folder: holder.path, files: (await uncommittedIn(holder.path, move, env)).other.map(toText) };
}

/**
 * Moves a branch if it is still where it was, together with the work tree that has it checked out; false, and nothing
 * changed, if it has moved.
 */
export async function moveBranch(repository: string, move: Move, env: NodeJS.ProcessEnv): Promise<boolean> {
  const holder = await worktreeOf(repository, move.branch, env);
  if (holder !== undefined && (await hasMoved(repository, move, env))) return false;
  try {
    if (holder === undefined) await moveRef(repository, move, env);
    else await moveWithTree(holder.path, move, env);
    return true;
  } catch (error) {
    if (isReadError(error) && (await hasMoved(repository, move, env))) return false;
    throw error;
  }
}

async function hasMoved(folder: string, { branch, from }: Move, env: NodeJS.ProcessEnv): Promise<boolean> {
  return (await branchTip(folder, branch, env)) !== from;
}

async function moveRef(repository: string, { branch, from, to }: Move, env: NodeJS.ProcessEnv): Promise<void> {
  await git(repository, { args: ['update-ref', '-m', 'ralphd land', `refs/heads/${branch}`, to, from], env });
}

/** Git writes the files before it moves the branch: if it fails, the files go back to where the branch is. */
async function moveWithTree(top: string, move: Move, env: NodeJS.ProcessEnv): Promise<void> {
  const { settled, unfinished } = await uncommittedIn(top, move, env);
  try {
    await whenUnlocked(async () => {
      await stage(top, { contents: new Map([...settled, ...unfinished]), idLength: move.to.length }, env);
      await writeFromIndex(top, [...unfinished.keys()], env);
      // Git itself fails here if the branch moves meanwhile, or if a file would be overwritten.
      const args = ['merge', '--ff-only', '--no-overwrite-ignore', '--quiet', move.to];
      await git(top, { args, env, timeoutMs: writingMs });
    });
  } catch (error) {
    if (isReadError(error) && !(await hasMoved(top, move, env))) await takeBack(top, { ...move, settled }, env);
    throw error;
  }
}

/** Records contents in the index, as they are in the commit to which the branch moves. */
async function stage(
  top: string,
  { contents, idLength }: { readonly contents: NewContents; readonly idLength: number },
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (contents.size === 0) return;
  const gone = `0 ${'0'.repeat(idLength)}`;
  const lines = [...contents].map(([file, content]) => `${content ?? gone}\t${file}\0`);
  await git(top, { args: ['update-index', '-z', '--index-info'], env, input: toBytes(lines.join('')) });
}

async function writeFromIndex(top: string, files: readonly RawPath[], env: NodeJS.ProcessEnv): Promise<void> {
  if (files.length === 0) return;
  const input = toBytes(files.map((file) => `${file}\0`).join(''));
  await git(top, { args: ['checkout-index', '--force', '-u', '-z', '--stdin'], env, input });
}

/** Undoes what git had written, as far as that is possible; a later landing continues with the rest. */
async function takeBack(
  top: string,
  move: Move & { readonly settled: NewContents },
  env: NodeJS.ProcessEnv,
): Promise<void> {
  try {
    const { settled, unfinished, before } = await uncommittedIn(top, { ...move, isContinued: true }, env);
    const written = [...settled.keys(), ...unfinished.keys()].filter((file) => !move.settled.has(file));
    const contents = new Map(written.map((file) => [file, before.get(file)]));
    await stage(top, { contents, idLength: move.to.length }, env);
    for (const name of written.filter((file) => contents.get(file) === undefined).map(toName)) {
      if (name !== undefined) quietly(() => nodeFiles.remove(path.join(top, name)));
    }
    const replaced = written.filter((file) => contents.get(file) !== undefined);
    await writeFromIndex(top, replaced, env);
  } catch (error) {
    if (!isReadError(error)) throw error;
  }
}

const lockPatienceMs = 2_000;
const lockPauseMs = 50;

/** Waits a while for another git that works in the same tree, such as one that outlived its ralphd. */
async function whenUnlocked(action: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + lockPatienceMs;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof LockedByGit) || performance.now() >= deadline) throw error;
      while (exists(toRaw(error.file)) && performance.now() < deadline) await delay(lockPauseMs);
    }
  }
}
