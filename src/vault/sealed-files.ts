import path from 'node:path';
import { LoopError } from '../base/index.ts';
import { type FileInfo, type FilePort, type OpenFile, reading, readWhole } from '../files/index.ts';
import {
  beginsAuthentic,
  createFrameWriter,
  type FileToOpen,
  type FrameWriter,
  lengthFrom,
  looksSealed,
  saltFrom,
  startBytes,
} from './frames.ts';
import type { OpenKey } from './key-record.ts';
import { isWrittenByOthers, type NamedFile, nameFile } from './names.ts';
import { garbage, openFrames, readSealed, rememberedText, type SealedText } from './sealed-text.ts';

/** One loop on one disk. */
export interface SealedLoop {
  readonly files: FilePort;
  readonly loopId: string;
  /** Its folder, and the folder with the second copy of its journal. */
  readonly folder: string;
  readonly mirror?: string | undefined;
  /** Opens its key, when it is first needed; throws if that is not possible. */
  readonly unlock: () => OpenKey;
  readonly randomBytes: (count: number) => Buffer;
}

interface Writing {
  /** The file itself, whatever has its name by now. */
  readonly info: FileInfo;
  readonly frames: FrameWriter;
  /** The bytes on disk, and what they say. */
  physical: number;
  logical: number;
  isSpoiled: boolean;
}

/** How much of the end of a file is read to find out its length. */
const endBytes = 16 * 1024;
/** Far above everything that ralphd writes. */
const maxSealedBytes = 1024 * 1024 * 1024;

/**
 * The disk as those see it who have the key of a loop: what they write is encrypted, what they read is decrypted, and
 * sizes and offsets are those of the decrypted content. A file that is not authentic reads as garbage of its own kind,
 * which every reader treats as damage.
 */
export function sealedFiles(loop: SealedLoop): FilePort {
  const { files, loopId } = loop;
  const writers = new Map<OpenFile, Writing>();
  const readers = new Map<OpenFile, SealedText>();
  const growing = rememberedText();
  const nameOf = rememberedNames(loop);
  const sealedAt = (place: string): NamedFile | undefined => {
    const found = nameOf(place);
    return isSealedName(found) && !loop.unlock().record.clear.includes(found.name ?? '') ? found : undefined;
  };
  const bindingOf = ({ name }: NamedFile): FileToOpen => {
    const { key } = loop.unlock();
    return name === undefined ? { loopId, key } : { loopId, key, name };
  };

  const decrypted = (file: OpenFile, { found, place }: { found: NamedFile; place: string }): SealedText | undefined => {
    const binding = bindingOf(found);
    const { size } = files.lookAt(file);
    const start = readSome(files, file, { position: 0, length: Math.min(startBytes, size) });
    const isEncrypted = looksSealed(start, binding);
    // A plain file in place of an encrypted one could be anybody's.
    const mayBeClear = found.rule === 'later' || !loop.unlock().record.complete;
    if (size === 0 || (!isEncrypted && mayBeClear)) return undefined;
    if (size > maxSealedBytes) throw new Error(`it has ${size} bytes, more than an encrypted file may have`);
    const bytes = readSome(files, file, { position: 0, length: size });
    // An agent may print what an encrypted file begins with.
    if (mayBeClear && !beginsAuthentic(bytes, binding)) return undefined;
    return isEncrypted ? growing(place, bytes, () => readSealed(bytes, binding)) : garbage(bytes);
  };

  return {
    ...files,
    create(place) {
      const found = sealedAt(place);
      if (!found) return files.create(place);
      const binding = { ...bindingOf(found), name: found.name ?? path.basename(place) };
      const frames = createFrameWriter(binding, saltFrom(loop.randomBytes));
      const file = files.create(place);
      return orClosed(files, file, () => {
        writers.set(file, { frames, info: files.lookAt(file), physical: 0, logical: 0, isSpoiled: false });
      });
    },
    openToRead(place) {
      const found = sealedAt(place);
      if (!found) return files.openToRead(place);
      const file = files.openToRead(place);
      return orClosed(files, file, () => {
        const text = files.lookAt(file).kind === 'file' ? decrypted(file, { found, place }) : undefined;
        if (text) readers.set(file, text);
      });
    },
    write(file, bytes) {
      const writing = writers.get(file);
      return writing ? writeFrames(files, { file, writing }, bytes) : files.write(file, bytes);
    },
    read(file, into, position) {
      const text = readers.get(file);
      if (!text) return files.read(file, into, position);
      const shown = text.upTo(position + into.byteLength);
      return shown.copy(into, 0, Math.min(position, shown.byteLength));
    },
    look(place) {
      const info = files.look(place);
      const found = info?.kind === 'file' ? nameOf(place) : undefined;
      if (!info || !isSealedName(found)) return info;
      return withSize(info, () => reading(place, () => sizeOf(loop, { place, info, found, writers })));
    },
    lookAt(file) {
      const info = files.lookAt(file);
      const text = readers.get(file);
      return text ? withSize(info, () => text.whole().byteLength) : info;
    },
    close(file) {
      writers.delete(file);
      readers.delete(file);
      files.close(file);
    },
  };
}

function orClosed(files: FilePort, file: OpenFile, step: () => void): OpenFile {
  try {
    step();
    return file;
  } catch (error) {
    files.close(file);
    throw error;
  }
}

function isSealedName(found: NamedFile | undefined): found is NamedFile {
  return found !== undefined && found.rule !== 'clear';
}

const maxRemembered = 1_000;

/** What paths are, remembered: an owner looks at the same few with every append. */
function rememberedNames(loop: Pick<SealedLoop, 'folder' | 'mirror'>): (place: string) => NamedFile | undefined {
  const known = new Map<string, NamedFile | undefined>();
  return (place) => {
    if (known.has(place)) return known.get(place);
    if (known.size >= maxRemembered) known.clear();
    const found = nameIn(loop, place);
    known.set(place, found);
    return found;
  };
}

/** Whether a file of a loop is to be encrypted. */
export function isToBeSealed(
  loop: Pick<SealedLoop, 'folder' | 'mirror'>,
  file: string,
  clear: readonly string[],
): boolean {
  const found = nameIn(loop, file);
  return isSealedName(found) && !clear.includes(found.name ?? '');
}

/** Whether a file of a loop is encrypted with its key. */
export function isSealed(
  { key, ...loop }: Pick<SealedLoop, 'folder' | 'mirror' | 'loopId'> & { readonly key: Uint8Array },
  file: string,
  bytes: Buffer,
): boolean {
  const { name } = nameIn(loop, file) ?? {};
  return beginsAuthentic(bytes, { loopId: loop.loopId, key, ...(name === undefined ? {} : { name }) });
}

/** Enough to contain the first frame of any file. */
const firstFrameBytes = 2 * 1024 * 1024;

/** Whether a file that another program writes is in clear text and must not stay so. */
export function staysExposed(
  loop: Pick<SealedLoop, 'files' | 'folder' | 'loopId'> & {
    readonly clear: readonly string[];
    readonly key?: Uint8Array | undefined;
  },
  file: string,
): boolean {
  const { files, folder, loopId, clear, key } = loop;
  const found = nameIn({ folder }, file);
  if (!found || !isWrittenByOthers(found) || !isToBeSealed({ folder }, file, clear)) return false;
  const start = readWhole(files, file, { limit: Number.MAX_SAFE_INTEGER, from: 0, length: firstFrameBytes });
  if (start.byteLength === 0) return false;
  return key ? !isSealed({ folder, loopId, key }, file, start) : !looksSealed(start, { loopId, ...found });
}

function nameIn({ folder, mirror }: Pick<SealedLoop, 'folder' | 'mirror'>, place: string): NamedFile | undefined {
  const isBelow = (top: string) => place.startsWith(top) && place[top.length] === path.sep;
  if (isBelow(folder)) return nameFile(folder, place);
  if (mirror === undefined || !isBelow(mirror)) return undefined;
  const found = nameFile(mirror, place);
  return found?.name === undefined ? found : { ...found, name: `mirror/${found.name}` };
}

/** One write of the caller is one frame and one write to the disk, unless that takes fewer bytes at once. */
function writeFrames(
  files: FilePort,
  { file, writing }: { readonly file: OpenFile; readonly writing: Writing },
  bytes: Uint8Array,
): number {
  if (writing.isSpoiled) throw new Error('an earlier write failed');
  let rest: Uint8Array = writing.frames.seal(bytes);
  const length = rest.byteLength;
  // Until all of it is written, what is on disk is not known.
  writing.isSpoiled = true;
  while (rest.byteLength > 0) {
    const taken = files.write(file, rest);
    if (taken <= 0) throw new Error('the system wrote no bytes');
    rest = rest.subarray(taken);
  }
  writing.isSpoiled = false;
  writing.physical += length;
  writing.logical += bytes.byteLength;
  return bytes.byteLength;
}

interface Sized {
  readonly place: string;
  readonly info: FileInfo;
  readonly found: NamedFile;
  readonly writers: ReadonlyMap<OpenFile, Writing>;
}

function sizeOf(loop: SealedLoop, { place, info, found, writers }: Sized): number {
  const { files, loopId } = loop;
  for (const { info: own, logical, physical } of writers.values()) {
    if (own.inode === info.inode && own.device === info.device) return logical + info.size - physical;
  }
  const file = files.openToRead(place);
  try {
    const start = readSome(files, file, { position: 0, length: Math.min(startBytes, info.size) });
    if (!looksSealed(start, { loopId, ...found })) return info.size;
    const position = Math.max(0, info.size - endBytes);
    const length = lengthFrom(readSome(files, file, { position, length: info.size - position }));
    return length ?? decryptedSize(loop, file, found) ?? info.size;
  } finally {
    files.close(file);
  }
}

/** The size of a file whose end is damaged; undefined without the key. */
function decryptedSize({ files, loopId, unlock }: SealedLoop, file: OpenFile, { name }: NamedFile): number | undefined {
  let key: Uint8Array;
  try {
    ({ key } = unlock());
  } catch (error) {
    if (error instanceof LoopError) return undefined;
    throw error;
  }
  const bytes = readSome(files, file, { position: 0, length: files.lookAt(file).size });
  return openFrames(bytes, { loopId, key, ...(name === undefined ? {} : { name }) }).byteLength;
}

function readSome(
  files: FilePort,
  file: OpenFile,
  { position, length }: { readonly position: number; readonly length: number },
): Buffer {
  const into = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = files.read(file, into.subarray(filled), position + filled);
    if (count <= 0) break;
    filled += count;
  }
  return into.subarray(0, filled);
}

/** The size is determined only if somebody asks for it. */
function withSize(info: FileInfo, size: () => number): FileInfo {
  return {
    ...info,
    get size() {
      return size();
    },
  };
}
