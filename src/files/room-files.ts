import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';

/** A folder in which the gate stores and runs things; paths are bytes, because names need not be text. */
type Place = string | Uint8Array;

/** Creates a folder that only its owner can enter, and missing folders above it. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
}

/** Creates a folder and missing folders above it. */
export function makeRoomFolder(folder: Place, mode = 0o755): void {
  mkdirSync(asBuffer(folder), { recursive: true, mode });
}

/** Replaces whatever is at the path with a file; never writes through a symbolic or hard link. */
export function putRoomFile(file: Place, bytes: Uint8Array | string, mode: number): void {
  removeRoomEntry(file);
  writeFileSync(asBuffer(file), bytes, { flag: 'wx', mode });
  chmodSync(asBuffer(file), mode);
}

/** Replaces whatever is at the path with a symbolic link. */
export function putRoomLink(link: Place, target: Place): void {
  removeRoomEntry(link);
  symlinkSync(asBuffer(target), asBuffer(link));
}

/** Replaces whatever is at the path with a copy of a file and its times; shares blocks if the disk supports it. */
export function copyRoomFile(from: Place, to: Place, { mode, mtimeMs }: { mode: number; mtimeMs: number }): void {
  removeRoomEntry(to);
  copyFileSync(asBuffer(from), asBuffer(to), constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  chmodSync(asBuffer(to), mode);
  lutimesSync(asBuffer(to), mtimeMs / 1000, mtimeMs / 1000);
}

/** Removes whatever is at the path, including read-only folders. */
export function removeRoomEntry(place: Place): void {
  const stats = lstatSync(asBuffer(place), { throwIfNoEntry: false });
  if (stats === undefined) return;
  try {
    rmSync(asBuffer(place), { recursive: true, force: true });
  } catch {
    openFolders(asBuffer(place));
    rmSync(asBuffer(place), { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Restores the permissions of a folder once it is complete. */
export function setRoomMode(place: Place, mode: number): void {
  chmodSync(asBuffer(place), mode);
}

function openFolders(place: Buffer): void {
  if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  chmodSync(place, 0o700);
  for (const name of readdirSync(place, { encoding: 'buffer' })) {
    openFolders(Buffer.concat([place, Buffer.from('/'), name]));
  }
}

function asBuffer(place: Place): Buffer {
  return typeof place === 'string' ? Buffer.from(place) : Buffer.from(place.buffer, place.byteOffset, place.byteLength);
}
