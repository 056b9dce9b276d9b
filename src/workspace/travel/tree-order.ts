import { failures, LoopError } from '../../base/index.ts';
import { shownAddress } from './address.ts';
import type { TreeOrder } from './build-tree.ts';
import type { CloneCache } from './clone-cache.ts';
import { noteOf } from './read-note.ts';
import { capturesAmong, type RemoteRef, refsOf } from './refs.ts';

interface OrderSetting {
  readonly repository: string;
  readonly ref?: string;
  readonly loopId: string;
  readonly env: NodeJS.ProcessEnv;
}

/** What to build for a loop that starts. */
export async function startOrder(cache: CloneCache, setting: OrderSetting): Promise<TreeOrder> {
  const { repository, loopId } = setting;
  const commit = await cache.fetch(await findSource(cache, setting), loopId);
  return { loopId, repository, branch: refsOf(loopId).branch, commit };
}

const fullId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The name under which the shared repository has a branch, tag or commit. */
async function findSource({ remote }: CloneCache, { repository, ref = 'HEAD' }: OrderSetting): Promise<string> {
  if (fullId.test(ref)) return ref;
  const names = ref === 'HEAD' || ref.startsWith('refs/') ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
  const listed = isPlainName(ref) ? await remote.list(names) : [];
  const found = names.find((name) => listed.some((each) => each.name === name));
  if (found === undefined) throw new LoopError(failures.travelNoRef(ref, shownAddress(repository)));
  return found;
}

/** Whether a name is one for git and no pattern, option or rule. */
function isPlainName(ref: string): boolean {
  return /^[^-\s~^:?*[\\\x00-\x1f\x7f][^\s~^:?*[\\\x00-\x1f\x7f]*$/.test(ref) && !ref.includes('..');
}

/** What to build for a loop that goes on: the capture that the journal names. */
export async function continueOrder(cache: CloneCache, setting: OrderSetting, from: string): Promise<TreeOrder> {
  const { repository, loopId, env } = setting;
  if (!fullId.test(from)) throw new LoopError(failures.travelNoCapture(from, shownAddress(repository)));
  await fetchCapture(cache, setting, from);
  const order = { loopId, repository, branch: refsOf(loopId).branch, commit: from };
  const note = await noteOf(cache.repository, from, env);
  return note?.loopId === loopId ? { ...order, commit: note.head, capture: { commit: from, note } } : order;
}

async function fetchCapture(cache: CloneCache, { repository, loopId }: OrderSetting, id: string): Promise<void> {
  const refs = refsOf(loopId);
  const listed = await cache.remote.list([`${refs.prefix}*`]);
  const found: RemoteRef | undefined = capturesAmong(listed, refs).find((each) => each.id === id);
  try {
    await cache.fetch(found?.name ?? id, loopId);
  } catch (error) {
    // Many hosts give a commit only under a name.
    if (found !== undefined || !(error instanceof LoopError)) throw error;
    throw new LoopError(failures.travelNoCapture(id, shownAddress(repository)), { cause: error });
  }
}
