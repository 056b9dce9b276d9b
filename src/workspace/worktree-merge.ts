import { git, gitSucceeds } from './git.ts';
import { isReadError } from './unreadable.ts';
import { isContained } from './worktree.ts';

/** Git writes whole work trees here, which may take long. */
export const writingMs = 30 * 60_000;

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
  await git(repository, {
    args: ['worktree', 'add', '--quiet', '--detach', folder, commit],
    env,
    timeoutMs: writingMs,
  });
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
  try {
    await git(scratch, { args: [...identity, 'merge', '--quiet', ...how, tip], env, timeoutMs: writingMs });
  } catch (error) {
    if (!isReadError(error)) throw error;
    const files = await conflictingFiles(scratch, env);
    if (files.length > 0) return { kind: 'conflict', files };
    throw error;
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

function namesOf(listed: Buffer): readonly string[] {
  return listed
    .toString('utf8')
    .split('\0')
    .filter((name) => name !== '');
}
