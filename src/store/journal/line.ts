import { crc32 } from 'node:zlib';
import { failures, LoopError } from '../../base/index.ts';
import { isTooDeep } from './depth.ts';

/** The format of a journal line; a line of a later format is refused, not guessed at. */
export const journalFormat = 1;

/** The longest line, with its line break, that is written or read. */
export const maxLineBytes = 1024 * 1024;

/** Something that happened, as the layers above record it; `data` must survive JSON. */
export interface Fact {
  readonly type: string;
  readonly data: unknown;
}

/** A fact as the journal stores it. */
export interface JournalEntry extends Fact {
  /** Counts every line of the loop without gaps; the store's own lines take numbers too. */
  readonly seq: number;
  /** When it was recorded, RFC 3339 UTC. */
  readonly at: string;
  /** The epoch of the owner that recorded it. */
  readonly epoch: number;
}

/** The end of a chain of lines: the number and checksum of its last line. */
export interface Link {
  readonly seq: number;
  readonly crc: number;
}

/** Where every journal begins. */
export const origin: Link = { seq: 0, crc: 0 };

/** `,"crc":"` + 8 digits + `"}`: what closes a line and is not covered by its own checksum. */
export const suffixBytes = 18;
const suffixPattern = /^,"crc":"([0-9a-f]{8})"\}$/;

/** A checksum in the form that files use. */
export function formatCrc(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}

/** Writes one line, with its line break, chained to the line before it. */
export function encodeLine(entry: JournalEntry, before: Link): { readonly bytes: Buffer; readonly link: Link } {
  const { seq, at, epoch, type } = entry;
  const data = JSON.stringify(entry.data) ?? 'null';
  const head = `{"v":${journalFormat},"seq":${seq},"at":${JSON.stringify(at)},"epoch":${epoch}`;
  const body = Buffer.from(`${head},"type":${JSON.stringify(type)},"data":${data}`);
  if (body.byteLength + suffixBytes + 1 > maxLineBytes) {
    throw new LoopError(failures.factTooLarge(type, `it needs ${body.byteLength} bytes, more than a line may have`));
  }
  if (isTooDeep(body)) throw new LoopError(failures.factTooLarge(type, 'its data is nested too deeply'));
  const crc = crc32(body, before.crc);
  return { bytes: Buffer.concat([body, Buffer.from(`,"crc":"${formatCrc(crc)}"}\n`)]), link: { seq, crc } };
}

/** The result of reading one line; `newer` is a sound line of a later format. */
export type Decoded =
  | { readonly kind: 'entry'; readonly entry: JournalEntry; readonly link: Link }
  | { readonly kind: 'newer'; readonly version: unknown }
  | { readonly kind: 'damaged' };

const damaged: Decoded = { kind: 'damaged' };

/** Reads one line, without its line break, that must follow `before`. */
export function decodeLine(line: Buffer, before: Link): Decoded {
  const crc = crcField(line);
  if (crc === undefined || crc !== crcOf(line, before.crc)) return damaged;
  if (isTooDeep(line)) return damaged;
  const value = parseObject(line);
  if (value === undefined) return damaged;
  if (typeof value.v === 'number' && value.v > journalFormat) return { kind: 'newer', version: value.v };
  if (value.v !== journalFormat) return damaged;
  const { seq, at, epoch, type, data } = value;
  if (seq !== before.seq + 1 || typeof at !== 'string' || typeof type !== 'string') return damaged;
  if (typeof epoch !== 'number' || data === undefined) return damaged;
  return { kind: 'entry', entry: { seq, at, epoch, type, data }, link: { seq, crc } };
}

/** The checksum a line claims; undefined when it does not end like a line. */
export function crcField(line: Buffer): number | undefined {
  if (line.byteLength < suffixBytes) return undefined;
  const digits = suffixPattern.exec(line.toString('latin1', line.byteLength - suffixBytes))?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

/** The checksum a line should claim when it follows one with checksum `seed`. */
export function crcOf(line: Buffer, seed: number): number {
  return crc32(line.subarray(0, Math.max(0, line.byteLength - suffixBytes)), seed);
}

function parseObject(line: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
