import type { KeyObject } from 'node:crypto';
import { deriveKey, seal, unseal } from './crypto.ts';
import { createNonces, nonceOf } from './nonces.ts';

/** What a file is bound to: a loop, the name in its folder, and the key of the loop. */
export interface FileBinding {
  readonly loopId: string;
  readonly name: string;
  readonly key: Uint8Array;
}

/** Frames of one new file. What it returns must be appended in this order, or not at all. */
export interface FrameWriter {
  seal(bytes: Uint8Array): Buffer;
}

/** How every sealed file begins. */
const mark = '{"ralphd":"sealed","v":1,';
const saltBytes = 32;
/** Every frame repeats the end of the one before, so that the frame after a damaged one shows what is missing. */
const carriedBytes = 19;
const maxFrameBytes = 1024 * 1024;
/** What ends a frame. */
export const lineBreak = 0x0a;
const nothing = Buffer.alloc(0);

/**
 * Begins a sealed file: two equal lines with the salt of its key, then a line for each write. The key is used for this
 * file only, because its salt is new, and each nonce once, because the frames are counted.
 */
export function createFrameWriter(binding: FileBinding, salt: Uint8Array): FrameWriter {
  const key = fileKey(binding, salt);
  const nonces = createNonces();
  let at = 0;
  let carried = nothing;
  const frame = (bytes: Uint8Array) => {
    const { n, nonce } = nonces.next();
    const text = Buffer.concat([Buffer.of(carried.byteLength), carried, bytes]);
    const box = seal({ key, nonce, bound: boundTo({ n, at, length: bytes.byteLength }) }, text);
    const line = Buffer.from(
      `{"n":${n},"at":${at},"len":${bytes.byteLength},"box":"${box.toString('base64')}"}\n`,
      'latin1',
    );
    at += bytes.byteLength;
    carried = Buffer.from(text.subarray(1).subarray(-carriedBytes));
    return line;
  };
  return {
    seal(bytes) {
      const lines = at === 0 ? [headerOf(binding, salt)] : [];
      for (let from = 0; from < bytes.byteLength; from += maxFrameBytes) {
        lines.push(frame(bytes.subarray(from, from + maxFrameBytes)));
      }
      return Buffer.concat(lines);
    },
  };
}

/** A new salt. */
export function saltFrom(randomBytes: (count: number) => Buffer): Buffer {
  return randomBytes(saltBytes);
}

function headerOf({ loopId, name }: Pick<FileBinding, 'loopId' | 'name'>, salt: Uint8Array): Buffer {
  const fields = JSON.stringify({ loop: loopId, name, salt: Buffer.from(salt).toString('base64') });
  return Buffer.from(`${mark}${fields.slice(1)}\n`.repeat(2));
}

/** The keys of files that were used last, for each key of a loop: the same few files are opened again and again. */
const derived = new WeakMap<Uint8Array, Map<string, KeyObject>>();
const maxDerived = 64;

function fileKey({ key, loopId, name }: FileBinding, salt: Uint8Array): KeyObject {
  const purpose = `ralphd sealed file 1\n${loopId}\n${name}`;
  const known = derived.get(key) ?? new Map<string, KeyObject>();
  const id = `${Buffer.from(salt).toString('latin1')}${purpose}`;
  const found = known.get(id) ?? deriveKey(key, salt, purpose);
  if (known.size >= maxDerived) known.clear();
  derived.set(key, known.set(id, found));
  return found;
}

/** What a frame says in clear text: its number, and the place and length of what it contains. */
export interface FrameHead {
  readonly n: number;
  readonly at: number;
  readonly length: number;
}

function boundTo({ n, at, length }: FrameHead): string {
  return `ralphd frame 1 ${n} ${at} ${length}`;
}

/** A file to read: without a name, which a file put aside no longer has, the one that it states counts. */
export type FileToOpen = Omit<FileBinding, 'name'> & { readonly name?: string };

/** How many bytes decide whether a file is sealed. */
export const startBytes = 2_048;

/** Whether bytes are the beginning of a sealed file; one of its two first lines may be damaged. */
export function looksSealed(start: Buffer, file: Pick<FileToOpen, 'loopId' | 'name'>): boolean {
  return copiesIn(start, file).some(isHeader);
}

/** Whether the first frame of a file is authentic. */
export function beginsAuthentic(file: Buffer, binding: FileToOpen): boolean {
  if (!looksSealed(file, binding)) return false;
  const copies = copiesIn(file, binding);
  const from = copies.reduce((sum, copy) => sum + copy.byteLength, 0);
  const line = file.subarray(from, Math.max(from, file.indexOf(lineBreak, from)));
  const head = headOf(line);
  return head?.n === 0 && opener(copies, binding)(line, head) !== undefined;
}

/** The length of what a sealed file says, from its last line alone; undefined if that line is not a whole frame. */
export function lengthFrom(end: Buffer): number | undefined {
  if (end.at(-1) !== lineBreak) return undefined;
  const from = end.lastIndexOf(lineBreak, end.byteLength - 2);
  const head = from < 0 ? undefined : headOf(end.subarray(from + 1, -1));
  return head && head.at + head.length;
}

/** Bytes that are not authentic, with no character among them that a journal or a document could be made of. */
export function disguised(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.map((byte) => byte | 0x80));
}

/** The two first lines. Their length follows from the name, so damage to one does not move the other. */
export function copiesIn(file: Buffer, { loopId, name }: Pick<FileToOpen, 'loopId' | 'name'>): readonly Buffer[] {
  const bound = name ?? headerIn(file.subarray(0, Math.max(0, file.indexOf(lineBreak))))?.name ?? '';
  const length = headerOf({ loopId, name: bound }, Buffer.alloc(saltBytes)).byteLength / 2;
  return [file.subarray(0, length), file.subarray(length, 2 * length)];
}

function isHeader(line: Buffer): boolean {
  return line.toString('latin1', 0, mark.length) === mark;
}

/** What an authentic frame contains. */
export interface Opened {
  /** The end of the frame before it. */
  readonly carried: Buffer;
  readonly bytes: Buffer;
}

/** Opens frames; undefined for one that is not authentic. */
export type FrameOpener = (line: Buffer, head: FrameHead) => Opened | undefined;

/** Opens frames with the key that one of the two first lines leads to: either may be damaged. */
export function opener(copies: readonly Buffer[], binding: FileToOpen): FrameOpener {
  const found = copies.flatMap((copy) => {
    const header = headerIn(copy);
    const isOurs = header?.loop === binding.loopId && (binding.name ?? header.name) === header.name;
    return header && isOurs ? [header] : [];
  });
  const salts = new Map(found.map((header) => [header.salt.toString('hex'), header]));
  let keys = [...salts.values()].map(({ name, salt }) => fileKey({ ...binding, name }, salt));
  return (line, head) => {
    const sealed = boxOf(line);
    for (const key of sealed ? keys : []) {
      const text = sealed && unseal({ key, nonce: nonceOf(head.n), bound: boundTo(head) }, sealed);
      const length = text?.[0] ?? 0;
      if (!text || text.byteLength !== 1 + length + head.length) continue;
      keys = [key];
      return { carried: text.subarray(1, 1 + length), bytes: text.subarray(1 + length) };
    }
    return undefined;
  };
}

interface Header {
  readonly loop: string;
  readonly name: string;
  readonly salt: Buffer;
}

function headerIn(line: Buffer): Header | undefined {
  if (!isHeader(line)) return undefined;
  try {
    const { loop, name, salt } = JSON.parse(line.toString('utf8')) as Record<string, unknown>;
    if (typeof loop !== 'string' || typeof name !== 'string' || typeof salt !== 'string') return undefined;
    const bytes = Buffer.from(salt, 'base64');
    return bytes.byteLength === saltBytes ? { loop, name, salt: bytes } : undefined;
  } catch {
    return undefined;
  }
}

const frameHead = /^\{"n":(\d{1,15}),"at":(\d{1,15}),"len":(\d{1,15}),"box":"/;
const frameHeadBytes = 80;

/** What a frame says in clear text; undefined for a line that is none. */
export function headOf(line: Buffer): FrameHead | undefined {
  const [, n, at, length] = frameHead.exec(line.toString('latin1', 0, frameHeadBytes)) ?? [];
  return n === undefined ? undefined : { n: Number(n), at: Number(at), length: Number(length) };
}

const frameEnd = '"}';

function boxOf(line: Buffer): Buffer | undefined {
  const start = frameHead.exec(line.toString('latin1', 0, frameHeadBytes))?.[0].length ?? 0;
  const end = line.byteLength - frameEnd.length;
  if (line.toString('latin1', end) !== frameEnd) return undefined;
  const text = line.toString('latin1', start, end);
  const bytes = Buffer.from(text, 'base64');
  // The decoder passes over what is not base64: only the one way to write these bytes counts.
  return bytes.toString('base64') === text ? bytes : undefined;
}
