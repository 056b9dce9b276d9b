import path from 'node:path';
import { failures, isLoopId, LoopError } from '../../base/index.ts';
import { escapeForRegExp } from '../../core/index.ts';
import { makePrivateFolder, nodeFiles, randomBytes, removeRoomEntry } from '../../files/index.ts';
import { isFolder } from '../folder.ts';
import { assertAddress } from './address.ts';
import { buildTree, replaceFolder } from './build-tree.ts';
import { type Captured, capture } from './capture.ts';
import { type Carrier, openCarrier, partsOf, readState } from './carrier.ts';
import { type CloneCache, findCache, openCache } from './clone-cache.ts';
import { noteOf } from './read-note.ts';
import { capturesAmong, type RemoteCapture, refsOf } from './refs.ts';
import { continueOrder, startOrder } from './tree-order.ts';

/** A loop whose work tree moves between machines by way of a repository that they share. */
export interface TravelSetting {
  /** The address or the path of the shared repository. */
  readonly repository: string;
  /** The branch, tag or commit that the loop starts from; the default branch of the repository if left out. */
  readonly ref?: string;
  readonly loopId: string;
  /** Where this machine keeps the work tree and what belongs to it. */
  readonly folder: string;
  /** Where this machine keeps what it fetched, for all loops. */
  readonly cache: string;
  /** The caller's environment. */
  readonly env: NodeJS.ProcessEnv;
  /** Files above this size stay behind. */
  readonly maxFileBytes?: number;
}

/** A work tree that is ready. */
export interface TravelTree {
  readonly workingDirectory: string;
  /** The commit that is checked out. */
  readonly commit: string;
}

/**
 * Carries the work tree of a loop from machine to machine. The journal decides who owns the loop and which capture counts;
 * a push decides nothing, so a late push of an earlier owner is harmless.
 */
export interface Travel {
  /**
   * Builds the work tree anew: from the capture that the journal names, or else from where the loop starts. It gets its
   * name as the last step, so after a crash it is called again. Whatever was in the folder is replaced.
   */
  checkOut(from?: string): Promise<TravelTree>;
  /** The work tree as this machine left it; undefined if there is none. */
  resume(): { readonly workingDirectory: string } | undefined;
  /**
   * Commits everything that is not ignored, without touching the agent's branch and index, and pushes it under a name
   * of its own. When this resolves, any machine can continue from the commit, and a fact may name it.
   */
  capture(owner: { readonly epoch: number }): Promise<Captured>;
  /** Moves the branch that people see to the commit of a capture; false if a later owner has been at work. */
  publish(what: { readonly epoch: number; readonly commit: string }): Promise<boolean>;
  /** Deletes the captures of this and earlier owners from before the one that the journal names. */
  prune(what: { readonly epoch: number; readonly keep: string }): Promise<void>;
  /** Deletes all captures of the loop from the shared repository; the branch stays. */
  forget(): Promise<void>;
  /** Removes the work tree from this machine. */
  remove(): Promise<void>;
}

const defaultMaxFileBytes = 100 * 1024 * 1024;
const maxAtOnce = 200;

/** Opens the way of a loop's work tree to and from this machine; nothing happens before it is used. */
export function openTravel(setting: TravelSetting): Travel {
  const { repository, loopId, folder, env, maxFileBytes = defaultMaxFileBytes } = setting;
  assertAddress(repository);
  if (!isLoopId(loopId)) throw new LoopError(failures.travelAddress(loopId, 'it is not the id of a loop'));
  const refs = refsOf(loopId);
  const openTree = async (): Promise<Carrier> => {
    const state = readState(folder, loopId);
    if (state === undefined) throw new LoopError(failures.travelNoTree(loopId, folder));
    return openCarrier(folder, await openCache(setting), { repository, env, state });
  };
  // In the order in which they were made, each before anybody else can see it.
  const made: string[] = [];
  const captures = async ({ remote }: CloneCache) => capturesAmong(await remote.list([`${refs.prefix}*`]), refs);
  const drop = async ({ remote }: CloneCache, unwanted: readonly RemoteCapture[]) => {
    for (let at = 0; at < unwanted.length; at += maxAtOnce) {
      await remote.push(unwanted.slice(at, at + maxAtOnce).map(({ name }) => `:${name}`));
    }
  };
  return {
    async checkOut(from) {
      const cache = await openCache(setting);
      const order = from === undefined ? await startOrder(cache, setting) : await continueOrder(cache, setting, from);
      sweep(folder);
      makePrivateFolder(path.dirname(folder));
      const built = besides(folder, 'new');
      try {
        await buildTree(built, order, { cache, env });
        replaceFolder(built, folder, besides(folder, 'old'));
      } finally {
        removeRoomEntry(built);
      }
      return { workingDirectory: partsOf(folder).top, commit: order.commit };
    },
    resume: () => (readState(folder, loopId) === undefined ? undefined : { workingDirectory: partsOf(folder).top }),
    capture: async ({ epoch }) =>
      await capture(await openTree(), { epoch, maxFileBytes, env, onCommit: (commit) => made.push(commit) }),
    async publish({ epoch, commit }) {
      const { remote, repository: ours } = await openTree();
      const head = (await noteOf(ours, commit, env))?.head ?? commit;
      const listed = await remote.list([refs.branch, `${refs.prefix}*`]);
      if (capturesAmong(listed, refs).some((each) => each.epoch > epoch)) return false;
      const before = listed.find(({ name }) => name === refs.branch)?.id ?? '';
      // Whoever moves it at the same moment is not overwritten.
      const lease = `--force-with-lease=${refs.branch}:${before}`;
      if (before !== head) await remote.push([`${head}:${refs.branch}`], [lease]);
      return true;
    },
    async prune({ epoch, keep }) {
      const cache = await openCache(setting);
      const listed = await captures(cache);
      // A capture that was made while this one was recorded may be the next that the journal names.
      const kept = new Set([keep, ...made.slice(made.lastIndexOf(keep) + 1)]);
      await drop(
        cache,
        listed.filter((each) => each.epoch <= epoch && !kept.has(each.id)),
      );
      made.splice(0, Math.max(0, made.lastIndexOf(keep)));
    },
    async forget() {
      const cache = await openCache(setting);
      await drop(cache, await captures(cache));
    },
    async remove() {
      await findCache(setting)?.release(loopId);
      removeRoomEntry(folder);
      sweep(folder);
    },
  };
}

function besides(folder: string, what: 'new' | 'old'): string {
  return `${folder}.${what}-${randomBytes(6).toString('hex')}`;
}

/** Removes what a process that died left beside the folder. */
function sweep(folder: string): void {
  const above = path.dirname(folder);
  const left = new RegExp(`^${escapeForRegExp(path.basename(folder))}\\.(new|old)-[0-9a-f]{12}$`);
  const names = isFolder(above) ? nodeFiles.list(above) : [];
  for (const name of names) if (left.test(name)) removeRoomEntry(path.join(above, name));
}
