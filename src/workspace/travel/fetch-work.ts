import { failures, LoopError } from '../../base/index.ts';
import { git, gitSucceeds } from '../git.ts';
import { isReadError } from '../unreadable.ts';
import { branchTip, isContained } from '../worktree.ts';
import { folderNameOf, shownAddress } from './address.ts';
import { readNote } from './capture-message.ts';
import { openCache } from './clone-cache.ts';
import { capturesAmong, refsOf } from './refs.ts';

/** Work of a loop that a repository has now. */
export interface FetchedWork {
  /** The commit with all of its files. */
  readonly capture: string;
  /** The commit that it had checked out. */
  readonly head: string;
  /** The files that are not as in that commit. */
  readonly uncommitted: readonly string[];
}

/** Where the work of a loop is, and where it is to be. */
export interface WantedWork {
  /** The address of the shared repository. */
  readonly repository: string;
  readonly loopId: string;
  /** The capture that its journal names. */
  readonly capture: string;
  /** Where this machine keeps what it fetched. */
  readonly cache: string;
  /** The repository that gets it. */
  readonly into: string;
  readonly env: NodeJS.ProcessEnv;
}

const options = '--quiet --no-tags --no-recurse-submodules --no-write-fetch-head --no-auto-gc --refmap='.split(' ');
const longMs = 60 * 60_000;

/** Gets the capture that a journal names into another repository; no branch of it changes. */
export async function fetchWork({ repository, loopId, capture, cache, into, env }: WantedWork): Promise<FetchedWork> {
  const refs = refsOf(loopId);
  // By way of a repository of ours: no address, which may contain a password, is in a command line or in settings.
  const shared = await openCache({ cache, repository, env });
  const listed = capturesAmong(await shared.remote.list([`${refs.prefix}*`]), refs);
  const found = listed.find(({ id }) => id === capture);
  if (found === undefined) throw new LoopError(failures.workGone(loopId, shownAddress(repository), capture));
  await shared.fetch(found.name, loopId);
  try {
    const from = `refs/latest/${folderNameOf(found.name)}`;
    const as = `refs/ralphd/${loopId}/work`;
    const args = ['fetch', ...options, shared.repository.folder, `+${from}:${as}`];
    await git(into, { args, env, timeoutMs: longMs });
    const message = await git(into, { args: ['cat-file', 'commit', capture], env });
    const head = readNote(message.toString())?.head ?? capture;
    const names = await git(into, {
      args: ['diff-tree', '-r', '-z', '--name-only', '--no-renames', head, capture],
      env,
    });
    await git(into, { args: ['update-ref', '-d', as, capture], env });
    return {
      capture,
      head,
      uncommitted: names
        .toString()
        .split('\0')
        .filter((name) => name !== ''),
    };
  } catch (error) {
    throw explained(error, `The work of loop ${loopId} could not be fetched`);
  } finally {
    await shared.release(loopId);
  }
}

/** Commits the files of a capture on top of the commit that was checked out. */
export async function commitCapture(
  repository: string,
  { capture, head }: FetchedWork,
  { message, env }: { readonly message: string; readonly env: NodeJS.ProcessEnv },
): Promise<string> {
  const args = ['commit-tree', `${capture}^{tree}`, '-p', head];
  try {
    return (await git(repository, { args, env, input: Buffer.from(message) })).toString().trim();
  } catch (error) {
    throw explained(error, 'The uncommitted files could not be committed');
  }
}

/** What git refuses, such as a commit of nobody, in its own words. */
function explained(error: unknown, what: string): unknown {
  if (!isReadError(error)) return error;
  return new LoopError(failures.landingFailed(what, error.message), { cause: error });
}

/** Has a branch point at a commit; false if that would lose commits, or the branch is checked out. */
export async function setBranch(
  repository: string,
  { branch, commit }: { readonly branch: string; readonly commit: string },
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  const tip = await branchTip(repository, branch, env);
  if (tip === commit) return true;
  if (tip !== undefined && !(await isContained(repository, { commit: tip, within: commit }, env))) return false;
  return await gitSucceeds(repository, { args: ['branch', '--force', '--no-track', branch, commit], env });
}
