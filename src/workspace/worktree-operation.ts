import { exists } from './content.ts';
import { gitFoldersOf } from './git-folder.ts';
import { join, type RawPath, toRaw } from './raw-path.ts';
import { readSmallText } from './small-file.ts';
import { listWorktrees } from './worktree-list.ts';

/** Something in git that its user has begun and not finished. */
export interface GitOperation {
  readonly what: 'merge' | 'cherry-pick' | 'revert' | 'rebase';
  /** The work tree in which it is under way. */
  readonly folder: string;
}

const marks = [
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
] as const;

/** What is under way on a branch, in any work tree: until it is finished, the branch should not move. */
export async function operationUnderWay(
  repository: string,
  branch: string,
  env: NodeJS.ProcessEnv,
): Promise<GitOperation | undefined> {
  for (const { path: folder, branch: current } of await listWorktrees(repository, env)) {
    const { own } = gitFoldersOf(toRaw(folder));
    // A rebase has no branch checked out, and moves its branch at the end.
    if (rebasedBranch(own) === `refs/heads/${branch}`) return { what: 'rebase', folder };
    const [, what] = (current === branch && marks.find(([name]) => exists(join(own, name)))) || [];
    if (what !== undefined) return { what, folder };
  }
  return undefined;
}

function rebasedBranch(gitFolder: RawPath): string {
  const named = ['rebase-merge', 'rebase-apply'].map((name) => readSmallText(join(gitFolder, `${name}/head-name`)));
  return named.find((text) => text !== '')?.trim() ?? '';
}
