import { constants } from 'node:fs';
import { type FileHandle, link, lstat, mkdir, open, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from './disk-errors.ts';
import { randomBytes } from './random-bytes.ts';

// Everything here is asynchronous: a network drive that hangs must not stop the process that runs a loop.

/**
 * Creates a file with all of its content, durable, or not at all; false if the name is taken. Without hard links, a crash may
 * leave an incomplete file under the name.
 */
export async function createWholeFile(
  place: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<boolean> {
  const folder = path.dirname(place);
  const temporary = path.join(folder, `.${randomBytes(8).toString('hex')}.tmp`);
  try {
    await fill(temporary, chunks);
    const isNew = await putName(temporary, place);
    if (isNew) await syncPath(folder);
    return isNew;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Creates a folder and those above it up to `root`, which has to exist; refuses links. */
export async function makeFoldersBelow(root: string, names: readonly string[]): Promise<void> {
  let place = root;
  for (const name of names) {
    place = path.join(place, name);
    try {
      await mkdir(place, { mode: 0o700 });
      await syncPath(path.dirname(place));
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
    if (!(await lstat(place)).isDirectory()) throw new Error(`${place} is not a folder`);
  }
}

/** What is at a path, without following a link. */
export async function kindAt(place: string): Promise<'file' | 'folder' | 'other' | undefined> {
  try {
    const found = await lstat(place);
    if (found.isDirectory()) return 'folder';
    return found.isFile() ? 'file' : 'other';
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Reads a plain file; undefined if there is none. A longer one than `limit` is refused. */
export async function readWholeFile(place: string, limit: number): Promise<Buffer | undefined> {
  let file: FileHandle;
  try {
    file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error('it is not a plain file');
    if (found.size > limit) throw new Error(`it has ${found.size} bytes, more than expected (${limit})`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** The bytes of a plain file as they are read; refuses a link. */
export async function* readChunks(place: string): AsyncIterable<Uint8Array> {
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(256 * 1024));
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** The names in a folder, in order; empty if there is none. */
export async function listNames(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).toSorted();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Removes a file; a missing one is not an error. */
export async function removeFile(place: string): Promise<void> {
  await rm(place, { force: true });
}

async function fill(place: string, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
  const file = await open(place, 'wx', 0o600);
  try {
    for await (const chunk of chunks) await file.writeFile(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Gives a file a second name that must be free. */
async function putName(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return false;
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP' && code !== 'ENOSYS') throw error;
  }
  try {
    await fill(to, readChunks(from));
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function syncPath(place: string): Promise<void> {
  const folder = await open(place, constants.O_RDONLY);
  try {
    await folder.sync();
  } catch (error) {
    if (errorCode(error) !== 'EINVAL') throw error;
  } finally {
    await folder.close();
  }
}
