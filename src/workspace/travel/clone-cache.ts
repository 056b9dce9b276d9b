import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import { errorCode, makePrivateFolder, nodeFiles, randomBytes, removeRoomEntry } from '../../files/index.ts';
import { pathExists } from '../folder.ts';
import { git, gitSucceeds, type PrivateRepository } from '../git.ts';
import { folderNameOf, shownAddress } from './address.ts';
import { algorithmOf, layBare } from './bare.ts';
import { createRemote, type Remote } from './remote.ts';

/** What was fetched of a shared repository, kept for all loops that work on it. */
export interface CloneCache {
  readonly repository: PrivateRepository;
  readonly algorithm: string;
  readonly remote: Remote;
  /** Gets a ref of the shared repository for a loop, and returns its commit. */
  fetch(source: string, loopId: string): Promise<string>;
  /** Forgets what only a loop needed. */
  release(loopId: string): Promise<void>;
}

interface CacheSetting {
  readonly cache: string;
  readonly repository: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Opens the cache of a shared repository, and creates it if there is none. */
export async function openCache(setting: CacheSetting): Promise<CloneCache> {
  const folder = cacheFolder(setting);
  return await inTurn(folder, async () => {
    if (!pathExists(folder)) await createCache(folder, setting);
    return useCache(folder, setting);
  });
}

/** Opens the cache of a shared repository if there is one; talks to nobody. */
export function findCache(setting: CacheSetting): CloneCache | undefined {
  return pathExists(cacheFolder(setting)) ? useCache(cacheFolder(setting), setting) : undefined;
}

function cacheFolder({ cache, repository }: CacheSetting): string {
  return path.join(cache, folderNameOf(repository));
}

function useCache(folder: string, { repository: address, env }: CacheSetting): CloneCache {
  const algorithm = algorithmOf(folder);
  layBare(folder, { algorithm, repository: address });
  const repository = { folder, objects: path.join(folder, 'objects'), alternates: [] };
  const remote = createRemote(repository, address, env);
  const commitOf = async (ref: string) => {
    const args = ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`];
    return (await git(folder, { args, env, repository })).toString().trim();
  };
  return {
    repository,
    algorithm,
    remote,
    // One after the other: the second loop of a repository finds what the first one fetched.
    fetch: async (source, loopId) =>
      await inTurn(folder, async () => {
        // A new name each time: the lock of a git that was killed cannot be in the way.
        const ref = `refs/loops/${loopId}/${randomBytes(6).toString('hex')}`;
        await remote.fetch(source, ref);
        const commit = await commitOf(ref);
        // It stays when the loop is gone, so that the next fetch gets only what is new.
        const latest = `refs/latest/${folderNameOf(source)}`;
        await gitSucceeds(folder, { args: ['update-ref', latest, commit], env, repository });
        return commit;
      }),
    async release(loopId) {
      const args = ['for-each-ref', '--format=delete %(refname)', `refs/loops/${loopId}/`];
      const input = await git(folder, { args, env, repository });
      if (input.length === 0) return;
      await gitSucceeds(folder, { args: ['update-ref', '--stdin'], env, repository, input });
    },
  };
}

/** Built beside its place: a cache that exists is complete. */
async function createCache(folder: string, { cache, repository, env }: CacheSetting): Promise<void> {
  makePrivateFolder(cache);
  const staged = path.join(cache, `.new-${randomBytes(6).toString('hex')}`);
  try {
    layBare(staged, { algorithm: 'sha1', repository });
    const probe = { folder: staged, objects: path.join(staged, 'objects'), alternates: [] };
    const [head] = await createRemote(probe, repository, env).list([]);
    if (head === undefined) throw new LoopError(failures.travelEmpty(shownAddress(repository)));
    if (head.id.length === 64) layBare(staged, { algorithm: 'sha256', repository });
    moveUnlessThere(staged, folder);
  } finally {
    removeRoomEntry(staged);
  }
}

/** Another process may have been faster: then its cache is as good. */
function moveUnlessThere(staged: string, folder: string): void {
  try {
    nodeFiles.rename(staged, folder);
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}

const turns = new Map<string, Promise<unknown>>();

/** Runs steps with one name one after the other. */
async function inTurn<Result>(name: string, step: () => Promise<Result>): Promise<Result> {
  const before = turns.get(name) ?? Promise.resolve();
  const turn = before.then(step, step);
  turns.set(name, turn);
  try {
    return await turn;
  } finally {
    if (turns.get(name) === turn) turns.delete(name);
  }
}
