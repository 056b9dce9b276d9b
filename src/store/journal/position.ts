import { crcField, formatCrc, type Link } from './line.ts';
import { parseSegment } from './segment-name.ts';

/** A place in a journal: everything up to `bytes` of that segment, ending with the line that the link names. */
export interface Position extends Link {
  readonly segment: string;
  readonly bytes: number;
}

/** A position in the form that files use. */
export interface WrittenPosition {
  readonly segment: string;
  readonly bytes: number;
  readonly seq: number;
  readonly crc: string;
}

/** Converts a position to the form that files use. */
export function writePosition({ segment, bytes, seq, crc }: Position): WrittenPosition {
  return { segment, bytes, seq, crc: formatCrc(crc) };
}

/** Reads a position; undefined when it is not one. */
export function readPosition(value: unknown): Position | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { segment, bytes, seq, crc }: Record<string, unknown> = { ...value };
  if (typeof segment !== 'string' || parseSegment(segment) === undefined) return undefined;
  if (!isCount(bytes) || !isCount(seq)) return undefined;
  if (typeof crc !== 'string' || !/^[0-9a-f]{8}$/.test(crc)) return undefined;
  return { segment, bytes, seq, crc: Number.parseInt(crc, 16) };
}

/** Whether two positions name the same place with the same preceding lines. */
export function isSamePosition(a: Position, b: Position): boolean {
  return a.segment === b.segment && a.bytes === b.bytes && a.seq === b.seq && a.crc === b.crc;
}

/**
 * The place after the line of that number, which the latest append wrote: `latest` is what that wrote before `position`.
 * Undefined for a line of an earlier append.
 */
export function positionAfter(
  { position, latest }: { readonly position: Position | undefined; readonly latest: Uint8Array | undefined },
  seq: number,
): Position | undefined {
  if (position === undefined || seq === position.seq) return position;
  const written = Buffer.from(latest ?? []);
  let end = written.byteLength;
  for (let last = position.seq; last > seq && end > 0; last -= 1) end = lineStart(written, end);
  const crc = end > 0 ? crcField(written.subarray(lineStart(written, end), end - 1)) : undefined;
  if (crc === undefined) return undefined;
  return { segment: position.segment, bytes: position.bytes - (written.byteLength - end), seq, crc };
}

const lineBreak = 0x0a;

/** Where the line begins whose line break is the last byte before `end`. */
function lineStart(bytes: Buffer, end: number): number {
  return end < 2 ? 0 : bytes.lastIndexOf(lineBreak, end - 2) + 1;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
