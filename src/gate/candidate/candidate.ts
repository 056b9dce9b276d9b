import { hash } from 'node:crypto';
import { type BigIntStats, lstatSync } from 'node:fs';
import path from 'node:path';
import { createExactReader, type ExactReader } from '../../files/index.ts';
import type { JudgedTree } from '../../protocol/index.ts';
import { joinRaw, type RawPath, realFolder, toBytes, toRaw, toText } from '../../workspace/index.ts';
import type { GitNames } from './git-files.ts';
import { leadsOut, targetOf } from './link.ts';
import { treeId } from './tree-id.ts';
import { type Entry, listCandidate, type Place } from './walk.ts';

/** Distinguishes two states of a file without reading it: a program cannot set the change time. */
interface Stamp {
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

/** One file of the candidate, in git's terms. */
export interface CandidateFile {
  /** Relative to the top. */
  readonly path: RawPath;
  readonly mode: '100644' | '100755' | '120000';
  /** The id that git gives to exactly these bytes. */
  readonly id: string;
  readonly size: number;
  readonly stamp: Stamp;
  /** The target of a link, as written. */
  readonly target?: RawPath;
}

/** An entry of the work tree that cannot be judged. */
export interface Refusal {
  readonly path: string;
  /** A link that leads out of the tree still counts as a file, because git would commit it; the others do not. */
  readonly reason: 'link_out' | 'special' | 'unreadable' | 'too_large';
}

/** What the user would get: every file of the work tree that is not ignored, read byte for byte. */
export interface Candidate {
  readonly top: string;
  /** Sorted by the bytes of their paths. */
  readonly files: readonly CandidateFile[];
  readonly tree: JudgedTree;
  readonly refused: readonly Refusal[];
  /** Nested repositories that are not submodules; their files are part of the candidate. */
  readonly nested: readonly string[];
  /** When reading began. */
  readonly readAtMs: number;
}

export interface CandidateOptions {
  /** Absolute paths that do not count, such as our own state. */
  readonly exclude: readonly string[];
  /** What only git knows; without it, an ignored file does not count even when it is tracked. */
  readonly names?: GitNames | undefined;
  /** Called with each file's bytes, or a link's target, which are valid only during the call. */
  readonly receive?: (file: CandidateFile, bytes: Buffer) => void;
}

const maxFileBytes = 1024 * 1024 * 1024;
// A file changed twice within one tick of its file system's clock keeps its times: recent files are read again.
const coarsestClockMs = 2_000;

/** Reads the candidate. Filters, attributes, hooks and the index of git have no influence. */
export function readCandidate(top: string, { exclude, names, receive }: CandidateOptions): Candidate {
  const readAtMs = Date.now();
  const place = placeOf(top, exclude, names);
  const { entries, closed, nested } = listCandidate(place);
  const reader = createExactReader({ maxBytes: maxFileBytes });
  const files: CandidateFile[] = [];
  const refused: Refusal[] = closed.map((folder) => ({ path: toText(folder), reason: 'unreadable' }));
  for (const entry of entries) {
    const read = readEntry(place.top, entry, reader);
    if (read === 'gone') continue;
    if (typeof read === 'string') refused.push({ path: toText(entry.path), reason: read });
    else {
      files.push(read.file);
      if (read.leadsOut) refused.push({ path: toText(entry.path), reason: 'link_out' });
      else receive?.(read.file, read.bytes);
    }
  }
  files.sort((one, other) => (one.path < other.path ? -1 : 1));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const tree = { id: treeId(files), files: files.length, bytes };
  return { top: realFolder(top), files, tree, refused, nested: nested.map(toText), readAtMs };
}

/** The paths that were changed, deleted or added since the reading. Files with unchanged times are not read. */
export function changedSince(
  candidate: Candidate,
  { exclude, names }: Pick<CandidateOptions, 'exclude' | 'names'>,
): readonly string[] {
  const place = placeOf(candidate.top, exclude, names);
  const reader = createExactReader({ maxBytes: maxFileBytes });
  const before = new Map(candidate.files.map((file) => [file.path, file]));
  const refused = new Set(candidate.refused.map(({ path: file }) => file));
  const differing: RawPath[] = [];
  for (const entry of listCandidate(place).entries) {
    const known = before.get(entry.path);
    before.delete(entry.path);
    if (known === undefined) {
      if (!refused.has(toText(entry.path))) differing.push(entry.path);
    } else if (!isSame(place.top, known, candidate.readAtMs) && !isSameContent(place.top, entry, { known, reader })) {
      differing.push(entry.path);
    }
  }
  return [...differing, ...before.keys()].sort().map(toText);
}

/**
 * The paths that were written to since the reading, even where the old content was restored, and those that were deleted
 * or added. A program cannot set the change time back.
 */
export function touchedSince(
  candidate: Candidate,
  { exclude, names }: Pick<CandidateOptions, 'exclude' | 'names'>,
): readonly string[] {
  const place = placeOf(candidate.top, exclude, names);
  const before = new Map(candidate.files.map((file) => [file.path, file]));
  const refused = new Set(candidate.refused.map(({ path: file }) => file));
  const touched = listCandidate(place).entries.filter(({ path: file }) => {
    const known = before.get(file);
    before.delete(file);
    return known === undefined ? !refused.has(toText(file)) : !hasStamp(place.top, known);
  });
  return [...touched.map(({ path: file }) => file), ...before.keys()].sort().map(toText);
}

function placeOf(folder: string, exclude: readonly string[], names: GitNames | undefined): Place {
  const top = realFolder(folder);
  // An excluded link excludes its target too.
  const places = exclude.flatMap((file) => [
    realPathOf(file),
    path.join(realPathOf(path.dirname(file)), path.basename(file)),
  ]);
  return { top: toRaw(top), excluded: new Set(places.map((file) => toRaw(path.relative(top, file)))), names };
}

/** The real path of a file, which need not exist. */
function realPathOf(file: string): string {
  const real = realFolder(file);
  if (real !== file || file === path.dirname(file)) return real;
  return path.join(realPathOf(path.dirname(file)), path.basename(file));
}

type EntryRead = { readonly file: CandidateFile; readonly bytes: Buffer; readonly leadsOut: boolean };

function readEntry(top: RawPath, { path: file, kind }: Entry, reader: ExactReader): EntryRead | Unread {
  const place = joinRaw(top, file);
  if (kind === 'special') return 'special';
  try {
    return kind === 'link' ? readLink(top, file) : readPlain(file, place, reader);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'gone';
    if (error instanceof Error && 'syscall' in error) return 'unreadable';
    throw error;
  }
}

type Unread = 'gone' | 'special' | 'unreadable' | 'too_large';

function readLink(top: RawPath, file: RawPath): EntryRead | Unread {
  const place = joinRaw(top, file);
  const stats = lstatSync(toBytes(place), { bigint: true });
  const target = targetOf(place);
  if (target === undefined) return 'unreadable';
  const bytes = toBytes(target);
  const id = hash('sha1', Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]));
  const read: CandidateFile = { path: file, mode: '120000', id, size: bytes.length, stamp: stampOf(stats), target };
  return { file: read, bytes, leadsOut: leadsOut(top, file, target) };
}

function readPlain(file: RawPath, place: RawPath, reader: ExactReader): EntryRead | Unread {
  const read = reader.read(toBytes(place));
  if (read === undefined) return lstatSync(toBytes(place)).isFile() ? 'too_large' : 'special';
  const { stats, bytes } = read;
  const id = hash('sha1', read.withPrefix(`blob ${bytes.length}\0`));
  const mode = (stats.mode & 0o100n) === 0n ? '100644' : '100755';
  return { file: { path: file, mode, id, size: bytes.length, stamp: stampOf(stats) }, bytes, leadsOut: false };
}

function stampOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): Stamp {
  return { ino, size, mtimeNs, ctimeNs };
}

function isSame(top: RawPath, file: CandidateFile, readAtMs: number): boolean {
  const isOld = file.stamp.ctimeNs < BigInt(readAtMs - coarsestClockMs) * 1_000_000n;
  return isOld && hasStamp(top, file);
}

function hasStamp(top: RawPath, { path: file, stamp }: CandidateFile): boolean {
  const stats = lstatSync(toBytes(joinRaw(top, file)), { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return false;
  const { ino, size, mtimeNs, ctimeNs } = stampOf(stats);
  return ino === stamp.ino && size === stamp.size && mtimeNs === stamp.mtimeNs && ctimeNs === stamp.ctimeNs;
}

function isSameContent(
  top: RawPath,
  entry: Entry,
  { known, reader }: { readonly known: CandidateFile; readonly reader: ExactReader },
): boolean {
  const read = readEntry(top, entry, reader);
  return typeof read !== 'string' && read.file.mode === known.mode && read.file.id === known.id;
}
