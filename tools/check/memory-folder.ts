import { chmod, mkdtemp, readFile, statfs } from 'node:fs/promises';
import path from 'node:path';

/** A file system that may hold the temporary files of the tests. */
export interface MemoryDisk {
  /** Where it is mounted. */
  readonly place: string;
  /** The content of /proc/mounts. */
  readonly mounts: string;
  readonly freeBytes: number;
}

// More than ten times what all tests hold at once.
const neededBytes = 4 * 1024 ** 3;

/**
 * Makes a folder in memory for the temporary files of the tests: they sync and remove files all the time, which costs a
 * disk a third of their time. Undefined on a machine without such a place.
 */
export async function makeMemoryFolder(place = '/dev/shm'): Promise<string | undefined> {
  try {
    const [mounts, { bavail, bsize }] = await Promise.all([readFile('/proc/mounts', 'utf8'), statfs(place)]);
    if (!isSuitable({ place, mounts, freeBytes: bavail * bsize })) return undefined;
    const folder = await mkdtemp(path.join(place, 'ralphd-'));
    // As the usual place: some tests act as another user.
    await chmod(folder, 0o1777);
    return folder;
  } catch {
    return undefined;
  }
}

/** Whether it is in memory, has room for the tests, and lets programs run from it. */
export function isSuitable({ place, mounts, freeBytes }: MemoryDisk): boolean {
  const mounted = mounts.split('\n').findLast((line) => line.split(' ')[1] === place);
  const [, , type, options = ''] = mounted?.split(' ') ?? [];
  return type === 'tmpfs' && !options.split(',').includes('noexec') && freeBytes >= neededBytes;
}
