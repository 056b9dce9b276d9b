import { createHash } from 'node:crypto';
import { type Dirent, lstatSync, readdirSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { copyRoomFile, createExactReader, makeRoomFolder, putRoomLink, setRoomMode } from '../../files/index.ts';
import { joinRaw, type RawPath, toBytes } from '../../workspace/index.ts';

/** A copied entry, with its path below the target folder. */
export type CopiedEntry =
  | { readonly path: RawPath; readonly kind: 'folder'; readonly mode: number }
  | { readonly path: RawPath; readonly kind: 'link'; readonly target: RawPath }
  | {
      readonly path: RawPath;
      readonly kind: 'file';
      readonly mode: number;
      readonly size: number;
      readonly mtimeMs: number;
      /** SHA-256 of its bytes. */
      readonly digest: string;
    };

interface CopyPlaces {
  readonly from: RawPath;
  readonly to: RawPath;
}

const entriesPerTurn = 200;

/** Copies a file or folder to the same path below another top; anything but files, links and folders is skipped. */
export async function* copyTree(path: RawPath, { from, to }: CopyPlaces): AsyncGenerator<CopiedEntry> {
  const closing: { readonly path: RawPath; readonly mode: number }[] = [];
  const pending: RawPath[] = [path];
  let copied = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    copied += 1;
    if (copied % entriesPerTurn === 0) await nextTurn();
    const entry = copyOne(next, { from, to }, next === path);
    if (entry === undefined) continue;
    if (entry.kind === 'folder') {
      closing.push({ path: next, mode: entry.mode });
      pending.push(...namesIn(joinRaw(from, next)).map((name) => joinRaw(next, name)));
    }
    yield entry;
  }
  for (const { path: folder, mode } of closing.reverse()) setRoomMode(toBytes(joinRaw(to, folder)), mode);
}

/** The first entry may be a link to a folder that several projects share. */
function copyOne(path: RawPath, { from, to }: CopyPlaces, isFirst: boolean): CopiedEntry | undefined {
  const source = toBytes(joinRaw(from, path));
  const target = toBytes(joinRaw(to, path));
  const stats = (isFirst ? statSync : lstatSync)(source, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) {
    makeRoomFolder(target, 0o700);
    return { path, kind: 'folder', mode: modeOf(stats) };
  }
  if (stats?.isSymbolicLink() === true) {
    const link = readlinkSync(source, 'buffer');
    putRoomLink(target, link);
    return { path, kind: 'link', target: link.toString('latin1') };
  }
  if (stats?.isFile() !== true) return undefined;
  const kept = { mode: modeOf(stats), mtimeMs: stats.mtimeMs };
  copyRoomFile(source, target, kept);
  // The digest of the copy: the source may change meanwhile.
  return { path, kind: 'file', ...kept, size: lstatSync(target).size, digest: digestOfFile(target) };
}

const reader = createExactReader({ maxBytes: Number.MAX_SAFE_INTEGER });

/** SHA-256 of a file's bytes. */
export function digestOfFile(file: Buffer): string {
  const read = reader.read(file);
  return read === undefined ? '' : createHash('sha256').update(read.bytes).digest('hex');
}

function modeOf({ mode }: Stats): number {
  return mode & 0o777;
}

function namesIn(folder: RawPath): readonly string[] {
  return readdirSync(toBytes(folder), { encoding: 'latin1' });
}

/** The entries of a folder; empty where it cannot be read. */
export function entriesIn(folder: RawPath): readonly Dirent[] {
  try {
    return readdirSync(toBytes(folder), { withFileTypes: true, encoding: 'latin1' });
  } catch {
    return [];
  }
}
