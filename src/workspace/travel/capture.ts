import { failures, LoopError } from '../../base/index.ts';
import { git, gitSucceeds } from '../git.ts';
import { isReadError } from '../unreadable.ts';
import { writingMs } from '../worktree-merge.ts';
import { writeNote } from './capture-message.ts';
import { captureTree, type LeftBehind } from './capture-tree.ts';
import type { Carrier } from './carrier.ts';
import { type LocalRefs, readLocalRefs } from './read-refs.ts';
import { refsOf } from './refs.ts';

/** A work tree as the shared repository has it. */
export interface Captured {
  readonly commit: string;
  /** The commit that was checked out. */
  readonly head: string;
  /** What did not come along. */
  readonly leftBehind: readonly LeftBehind[];
}

interface CaptureSetting {
  readonly epoch: number;
  readonly maxFileBytes: number;
  readonly env: NodeJS.ProcessEnv;
  /** Called before the capture is pushed. */
  readonly onCommit: (commit: string) => void;
}

/** Captures a work tree and pushes it. A repository that an agent has damaged stays behind; its files come along. */
export async function capture(carrier: Carrier, setting: CaptureSetting): Promise<Captured> {
  const local = await readLocalRefs(carrier, setting.env);
  try {
    if (local !== undefined) {
      try {
        return await carry(carrier, local, setting);
      } catch (error) {
        if (await isWhole(carrier, local, setting.env)) throw error;
      }
    }
    const captured = await carry(carrier, { head: carrier.state.start, refs: [] }, setting);
    return { ...captured, leftBehind: [...captured.leftBehind, { path: '.git', why: 'unreadable' }] };
  } catch (error) {
    if (!isReadError(error)) throw error;
    throw new LoopError(failures.travelNotCaptured(carrier.state.loopId, error.message.replace(/\.$/, '')), {
      cause: error,
    });
  }
}

async function carry(carrier: Carrier, local: LocalRefs, setting: CaptureSetting): Promise<Captured> {
  const { loopId } = carrier.state;
  const { tree, leftBehind } = await captureTree(carrier, { head: local.head, ...setting });
  const commit = await commitTree(carrier, { tree, local }, setting);
  setting.onCommit(commit);
  await carrier.remote.push([`${commit}:${refsOf(loopId).capture(setting.epoch, commit)}`]);
  return { commit, head: local.head, leftBehind };
}

const identity = ['-c', 'user.name=ralphd', '-c', 'user.email=ralphd@localhost'];

/** A commit of the files, with everything as a parent that other machines need. */
async function commitTree(
  { repository, state }: Carrier,
  { tree, local }: { readonly tree: string; readonly local: LocalRefs },
  { epoch, env }: CaptureSetting,
): Promise<string> {
  const parents = parentsOf(local).flatMap((id) => ['-p', id]);
  const input = Buffer.from(writeNote({ loopId: state.loopId, epoch, ...local }));
  const args = [...identity, 'commit-tree', tree, ...parents];
  return (await git(repository.folder, { args, env, repository, input })).toString().trim();
}

function parentsOf({ head, refs }: LocalRefs): readonly string[] {
  return [...new Set([head, ...refs.map(({ id }) => id)])];
}

/** Whether git can read everything that the refs of a work tree lead to. */
async function isWhole({ repository, state }: Carrier, local: LocalRefs, env: NodeJS.ProcessEnv): Promise<boolean> {
  const args = ['rev-list', '--quiet', '--verify-objects', ...parentsOf(local), '--not', state.start];
  return await gitSucceeds(repository.folder, { args, env, repository, timeoutMs: writingMs });
}
