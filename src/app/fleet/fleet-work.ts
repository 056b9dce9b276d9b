import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import { isTerminal, type Loop } from '../../core/index.ts';
import { removeRoomEntry } from '../../files/index.ts';
import type { Fleet } from '../../fleet/index.ts';
import type { LoopFolders } from '../../store/index.ts';
import { commitCapture, fetchWork, refsOf, setBranch, shownAddress } from '../../workspace/index.ts';
import { foldState } from '../adapters/fold-state.ts';
import type { AppContext } from '../agent-programs.ts';
import { thisMachine } from '../machine.ts';
import type { RemoteLoops } from '../remote-loops.ts';
import { userName } from '../user-name.ts';
import { factOf, readerPatienceMs } from './fleet-state.ts';
import { type LoopRequest, readRequest } from './request.ts';

const patience = { patienceMs: readerPatienceMs };

/** The copy of a fleet, for those who act on its loops. */
interface ActingCopy {
  readonly fleet: Fleet;
  readonly folders: LoopFolders;
  readonly root: string;
  readonly env: AppContext['env'];
}

/** What can be done with the work of loops on other machines. */
export function createFleetWork(copy: ActingCopy): Pick<RemoteLoops, 'workOf' | 'bringWork' | 'remove'> {
  return {
    async workOf(loopId) {
      const request = await requestOf(copy.fleet, loopId);
      if (request === undefined) return undefined;
      return { repository: shownAddress(request.repository), branch: branchOf(loopId), ref: request.ref };
    },
    bringWork: async (loop, wanted) => await bringWork(loop, wanted, copy),
    remove: async (loopId, { force }) => await remove(loopId, force, copy),
  };
}

async function requestOf(fleet: Fleet, loopId: string): Promise<LoopRequest | undefined> {
  const text = await fleet.requestOf(loopId, patience);
  return text === undefined ? undefined : readRequest(loopId, text);
}

function branchOf(loopId: string): string {
  return refsOf(loopId).branch.replace('refs/heads/', '');
}

/** The journal decides what the work of a loop is, not the branch, which anybody may move. */
async function bringWork(
  loop: Loop,
  { into, commit }: { readonly into: string; readonly commit: boolean },
  { fleet, root, env }: ActingCopy,
): Promise<Loop> {
  const loopId = loop.id;
  const [request, found] = await Promise.all([requestOf(fleet, loopId), fleet.lookAt(loopId, patience)]);
  const start = await startOf(fleet, loopId);
  const capture = found?.head ?? undefined;
  if (request === undefined || capture === undefined || start === undefined) {
    throw new LoopError(failures.nothingToLand(loopId, 'none of its work was recorded'));
  }
  const { repository, ref } = request;
  const cache = path.join(root, 'cache');
  const work = await fetchWork({ repository, loopId, capture, cache, into, env });
  const isWhole = work.uncommitted.length === 0;
  if (!isWhole && !commit) {
    throw new LoopError(failures.landingUncommitted(loopId, 'its work tree', work.uncommitted));
  }
  const message = `Work of ${loopId} that it did not commit\n\nLoop: ${loopId}`;
  const tip = isWhole ? work.head : await commitCapture(into, work, { message, env });
  const branch = branchOf(loopId);
  if (!(await setBranch(into, { branch, commit: tip }, env))) {
    throw new LoopError(failures.landingBranchTaken(loopId, branch));
  }
  const baseBranch = ref?.replace(/^refs\/heads\//, '');
  const { workingDirectory } = loop.origin;
  const worktree = { path: workingDirectory, branch, baseCommit: start, ...(baseBranch && { baseBranch }) };
  return { ...loop, origin: { ...loop.origin, worktree } };
}

const firstLines = 20;

/** The commit that a loop started from. */
async function startOf(fleet: Fleet, loopId: string): Promise<string | undefined> {
  const lines = await fleet.facts(loopId, 0, firstLines, patience);
  const started = lines.map(({ line }) => factOf(loopId, line)).find(({ type }) => type === 'loop.started');
  return started?.type === 'loop.started' ? started.data.head : undefined;
}

/** Its workers remove what they have of it, and its captures, when they notice. */
async function remove(loopId: string, force: boolean, { fleet, folders }: ActingCopy) {
  const loop = foldState(folders.read(loopId));
  const { owner, epoch } = (await fleet.glance(loopId, patience)) ?? { owner: null, epoch: 0 };
  if (owner !== null) throw new LoopError(failures.removalLive(loopId));
  if (!isTerminal(loop.status)) {
    if (!force) throw new LoopError(failures.removalRefused(loopId, loop.status));
    // Nobody claims it any more.
    if (!(await fleet.hold(loopId, epoch, 'it is being removed', patience))) {
      throw new LoopError(failures.removalLive(loopId));
    }
  }
  const work = await requestOf(fleet, loopId);
  const { host } = thisMachine.self();
  const outcome = await fleet.remove(loopId, `${userName() ?? 'somebody'}@${host}`, patience);
  if (outcome === 'owned') throw new LoopError(failures.removalLive(loopId));
  const { folder } = folders.place(loopId);
  removeRoomEntry(folder);
  const branch = work && `branch ${branchOf(loopId)} of ${shownAddress(work.repository)}`;
  return {
    loopId,
    removed: [`${loopId} in ${fleet.address.place}`, folder],
    kept: branch === undefined ? [] : [{ what: branch, why: 'it may be the only copy of the work' }],
    freedBytes: 0,
    ended: [],
  };
}
