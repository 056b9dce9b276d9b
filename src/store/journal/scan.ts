import { crcField, crcOf, decodeLine, type JournalEntry, type Link, maxLineBytes } from './line.ts';

const lineBreak = 0x0a;

/** The result of reading lines from one point on. */
export interface Scan {
  readonly entries: readonly JournalEntry[];
  /** How many bytes of the buffer are sound lines. */
  readonly bytes: number;
  /** The last sound line. */
  readonly link: Link;
  /** What follows the sound lines. */
  readonly rest: 'none' | 'torn' | 'corrupt' | { readonly newer: unknown };
}

/** Reads lines that must follow `before` and belong to `epoch`, up to the first that does not. */
export function scanLines(buffer: Buffer, before: Link, epoch: number): Scan {
  const entries: JournalEntry[] = [];
  let link = before;
  let bytes = 0;
  for (let line = lineAt(buffer, bytes); line; line = lineAt(buffer, bytes)) {
    const decoded = decodeLine(line, link);
    if (decoded.kind === 'newer') return { entries, bytes, link, rest: { newer: decoded.version } };
    if (decoded.kind === 'damaged' || decoded.entry.epoch !== epoch) break;
    entries.push(decoded.entry);
    link = decoded.link;
    bytes += line.byteLength + 1;
  }
  if (bytes === buffer.byteLength) return { entries, bytes, link, rest: 'none' };
  return { entries, bytes, link, rest: hasSoundLine(buffer.subarray(bytes), link) ? 'corrupt' : 'torn' };
}

/**
 * Whether after a first, broken line there is one that agrees with the checksum its neighbour claims or should
 * claim. A write that was cut off leaves none; damage to acknowledged lines does, as long as it is not the last.
 */
export function hasSoundLine(buffer: Buffer, before: Link): boolean {
  let seeds: readonly (number | undefined)[] = [];
  for (let offset = 0; ; ) {
    const end = buffer.indexOf(lineBreak, offset);
    if (end < 0) return false;
    const line = buffer.subarray(offset, end);
    const claimed = crcField(line);
    const agrees = (seed: number | undefined) => seed !== undefined && crcOf(line, seed) === claimed;
    if (claimed !== undefined && seeds.some(agrees)) return true;
    seeds = offset === 0 ? [claimed, crcOf(line, before.crc)] : [claimed];
    offset = end + 1;
  }
}

function lineAt(buffer: Buffer, offset: number): Buffer | undefined {
  const end = buffer.indexOf(lineBreak, offset);
  return end < 0 || end - offset >= maxLineBytes ? undefined : buffer.subarray(offset, end);
}
