import { formatCrc, type Link } from './line.ts';
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

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
