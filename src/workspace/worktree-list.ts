import { realpathSync } from 'node:fs';
import { isFolder } from './folder.ts';
import { git } from './git.ts';
import { parseStatus } from './git-status.ts';
import { type RawPath, toText } from './raw-path.ts';

/** One of the work trees of a repository. */
export interface ListedWorktree {
  /** Its top folder. */
  readonly path: string;
  /** The branch that is checked out in it; undefined for a detached HEAD. */
  readonly branch?: string;
  readonly isBare: boolean;
}

/** The work trees of the repository that contains a folder, the main one first. */
export async function listWorktrees(folder: string, env: NodeJS.ProcessEnv): Promise<readonly ListedWorktree[]> {
  const printed = (await git(folder, { args: ['worktree', 'list', '--porcelain'], env })).toString();
  return printed
    .split('\n\n')
    .map((record) => record.split('\n'))
    .flatMap((lines) => {
      const path = valueOf(lines, 'worktree ');
      const branch = valueOf(lines, 'branch refs/heads/');
      if (path === undefined) return [];
      return [{ path, isBare: lines.includes('bare'), ...(branch === undefined ? {} : { branch }) }];
    });
}

function valueOf(lines: readonly string[], name: string): string | undefined {
  return lines.find((line) => line.startsWith(name))?.slice(name.length);
}

/** The work tree in which a branch is checked out, if its folder is there. */
export async function worktreeOf(
  folder: string,
  branch: string,
  env: NodeJS.ProcessEnv,
): Promise<ListedWorktree | undefined> {
  const all = await listWorktrees(folder, env);
  return all.find((each) => each.branch === branch && !each.isBare && isFolder(each.path));
}

/** Whether a folder is the top of one of the work trees of a repository. */
export async function hasWorktree(folder: string, top: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  if (!isFolder(top)) return false;
  const real = realpathSync(top);
  return (await listWorktrees(folder, env)).some(({ path }) => isFolder(path) && realpathSync(path) === real);
}

/** The files of a work tree that differ from its commit or are not tracked, without ignored ones, relative to its top. */
export async function uncommittedFiles(top: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  return (await uncommittedPaths(top, env)).map(toText);
}

/** The same, with the names as they are on disk. */
export async function uncommittedPaths(top: string, env: NodeJS.ProcessEnv): Promise<readonly RawPath[]> {
  const args = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all', '--no-renames'];
  return parseStatus(await git(top, { args, env })).entries.map(({ path }) => path);
}
