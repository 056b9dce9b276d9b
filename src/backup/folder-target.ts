import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import {
  createWholeFile,
  errorCode,
  kindAt,
  listNames,
  makeFoldersBelow,
  readWholeFile,
  removeFile,
} from '../files/index.ts';
import { type BackupTarget, maxListed } from './target.ts';

/** A folder, such as a network drive. It has to exist: one that is missing may be a drive that is not mounted. */
export function createFolderTarget({ name, folder }: { readonly name: string; readonly folder: string }): BackupTarget {
  const failed = (error: unknown) => {
    if (error instanceof LoopError) return error;
    return new LoopError(failures.backupTargetFailed(name, reasonOf(error)), { cause: error });
  };
  const attempt = async <Result>(signal: AbortSignal, step: () => Promise<Result>): Promise<Result> => {
    try {
      return await unlessAborted(signal, async () => {
        await assertFolder(name, folder);
        return await step();
      });
    } catch (error) {
      throw failed(error);
    }
  };
  return {
    where: folder,
    create: async (object, bytes, signal) =>
      await attempt(signal, async () => {
        await makeFoldersBelow(folder, object.split('/').slice(0, -1));
        return await createWholeFile(path.join(folder, object), [bytes]);
      }),
    read: async (object, limit, signal) =>
      await attempt(signal, async () => await readWholeFile(path.join(folder, object), limit)),
    list: async (within, after, signal) =>
      await attempt(signal, async () => {
        const names = (await listNames(path.join(folder, within))).filter((each) => !each.startsWith('.'));
        if (names.length > maxListed) throw new Error(`${within} contains more than ${maxListed} files`);
        return after === undefined ? names : names.filter((each) => each > after);
      }),
    folders: async (within, signal) =>
      await attempt(signal, async () => {
        const names = await listNames(path.join(folder, within));
        const kinds = await Promise.all(names.map(async (each) => await kindAt(path.join(folder, within, each))));
        return names.filter((_, index) => kinds[index] === 'folder');
      }),
    remove: async (object, signal) => await attempt(signal, async () => await removeFile(path.join(folder, object))),
  };
}

/** Why a folder cannot hold backups; undefined if it can. */
export async function folderProblem(folder: string): Promise<string | undefined> {
  const kind = await kindAt(folder);
  if (kind === 'folder') return undefined;
  if (kind === undefined) return `the folder ${folder} does not exist`;
  return `${folder} is a link or no folder`;
}

async function assertFolder(name: string, folder: string): Promise<void> {
  const why = await folderProblem(folder);
  if (why !== undefined) throw new LoopError(failures.backupTargetUnusable(name, why));
}

/** A drive that hangs keeps its own call waiting, not the caller. */
async function unlessAborted<Result>(signal: AbortSignal, step: () => Promise<Result>): Promise<Result> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(new Error('it did not answer in time'));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([step(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    aborted.promise.catch(() => {});
  }
}

function reasonOf(error: unknown): string {
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'its disk is full';
  return error instanceof Error ? error.message : String(error);
}
