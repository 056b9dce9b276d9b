const pattern = /^(\d{4,9})-(\d{4,9})$/;
const extension = '.jsonl';

/** One file of a journal: the epoch of the owner that wrote it, and its number among that owner's files. */
export interface SegmentId {
  readonly epoch: number;
  readonly number: number;
}

/** `0001-0002`, as file names and positions spell it. */
export function formatSegment(id: SegmentId): string {
  return `${String(id.epoch).padStart(4, '0')}-${String(id.number).padStart(4, '0')}`;
}

/** Reads `0001-0002`; undefined for anything that we would not have written. */
export function parseSegment(text: string): SegmentId | undefined {
  const [, epoch, number] = pattern.exec(text) ?? [];
  if (epoch === undefined || number === undefined) return undefined;
  const id = { epoch: Number(epoch), number: Number(number) };
  return formatSegment(id) === text && id.epoch > 0 && id.number > 0 ? id : undefined;
}

/** The name of a segment's file. */
export function segmentFile(segment: string): string {
  return segment + extension;
}

/** The segments among the names in a journal folder, oldest first. */
export function segmentsAmong(names: readonly string[]): readonly string[] {
  return names
    .filter((name) => name.endsWith(extension))
    .map((name) => parseSegment(name.slice(0, -extension.length)))
    .filter((id) => id !== undefined)
    .sort(compare)
    .map(formatSegment);
}

/** Whether segment `a` comes before segment `b`. */
export function isOlder(a: string, b: string): boolean {
  const [left, right] = [parseSegment(a), parseSegment(b)];
  return left !== undefined && right !== undefined && compare(left, right) < 0;
}

function compare(a: SegmentId, b: SegmentId): number {
  return a.epoch - b.epoch || a.number - b.number;
}
