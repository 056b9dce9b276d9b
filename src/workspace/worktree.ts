import { git, gitSucceeds } from './git.ts';
import { isReadError } from './unreadable.ts';

/** A new work tree on a new branch. */
export interface NewWorktree {
  /** Its top folder, which must not exist yet. */
  readonly path: string;
  readonly branch: string;
  readonly commit: string;
}

/** Creates a work tree on a new branch, as one step of git: what exists is never replaced. */
export async function addWorktree(
  repository: string,
  { path, branch, commit }: NewWorktree,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  await git(repository, { args: ['worktree', 'add', '--quiet', '--no-track', '-b', branch, path, commit], env });
}

/** Removes a work tree; without `force`, git refuses one with changes. Ignored files in it go too. */
export async function removeWorktree(
  repository: string,
  { path, force }: { readonly path: string; readonly force: boolean },
  env: NodeJS.ProcessEnv,
): Promise<void> {
  await git(repository, { args: ['worktree', 'remove', ...(force ? ['--force', '--force'] : []), path], env });
}

/** The folder in which git keeps what belongs to one work tree only. */
export async function gitFolderOf(top: string, env: NodeJS.ProcessEnv): Promise<string> {
  return (await git(top, { args: ['rev-parse', '--absolute-git-dir'], env })).toString().replace(/\n$/, '');
}

/** The commit of a branch; undefined if there is no such branch. */
export async function branchTip(
  repository: string,
  branch: string,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  try {
    const args = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`];
    return (await git(repository, { args, env })).toString().trim();
  } catch (error) {
    if (!isReadError(error)) throw error;
    return undefined;
  }
}

/** Deletes a branch, unless it has moved on from a commit. */
export async function deleteBranch(
  repository: string,
  { branch, tip }: { readonly branch: string; readonly tip: string },
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  return await gitSucceeds(repository, { args: ['update-ref', '-d', `refs/heads/${branch}`, tip], env });
}

/** Whether a commit is part of the history of another. */
export async function isContained(
  repository: string,
  { commit, within }: { readonly commit: string; readonly within: string },
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  return await gitSucceeds(repository, { args: ['merge-base', '--is-ancestor', commit, within], env });
}
