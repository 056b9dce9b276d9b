import type { Random } from '../../simulation/random.ts';
import type { Extent, FileLife } from './replay.ts';

/** The contents that a disk may have kept of an unsynced file. */
export type Kept = readonly Buffer[];

/** The bytes of a file, split into those that are always safe and those that are not. */
interface Layout {
  readonly whole: Buffer;
  /** No crash leaves fewer bytes. */
  readonly floor: number;
  /** The ranges of writes that may be missing. */
  readonly loose: readonly { readonly start: number; readonly end: number }[];
}

const sectors = [512, 4096];
const most = 3;

/** Everything that was written: what a dying process leaves behind. */
export function wholeOf(file: FileLife): Buffer {
  const [only] = file.extents;
  if (only && file.extents.length === 1) return only.bytes;
  return Buffer.concat(file.extents.map((extent) => extent.bytes));
}

/** Whether a crash can leave only the whole file. */
export function isSafe(file: FileLife): boolean {
  return file.extents.every((extent) => extent.state === 'durable');
}

/** A write cut off after any number of bytes; a long one at sector boundaries and at random positions. */
export function tornWrites(file: FileLife, bytes: number, random: Random): Kept {
  const whole = wholeOf(file);
  if (bytes <= 2000) return Array.from({ length: bytes }, (_, left) => whole.subarray(0, whole.byteLength - left));
  const start = whole.byteLength - bytes;
  const cuts = new Set([whole.byteLength, ...Array.from({ length: 1000 }, () => start + random.int(1, bytes))]);
  for (let cut = start - (start % 512) + 512; cut < whole.byteLength; cut += 512) cuts.add(cut);
  return [...cuts].map((cut) => whole.subarray(0, cut));
}

/** A file system that saves size and data together: any number of whole writes or pages, nothing else. */
export function pagesKept(file: FileLife): Kept {
  const { whole, floor, loose } = layoutOf(file.extents);
  const cuts = new Set([whole.byteLength, floor, ...loose.map(({ start }) => start)]);
  for (let page = 4096; page < whole.byteLength; page += 4096) cuts.add(page);
  const kept = [...cuts].filter((cut) => cut >= floor).map((cut) => whole.subarray(0, cut));
  const lost = file.extents.some((extent) => extent.state === 'doubtful');
  return lost ? unique([...kept, ...loose.map((range) => filled(whole, [range], zeros))]) : kept;
}

/** A disk that saves sectors in any order, or allocates them without writing their bytes. */
export function sectorsKept(file: FileLife, random: Random, stale: Buffer): Kept {
  const layout = layoutOf(file.extents);
  const { whole, floor, loose } = layout;
  const kept: Buffer[] = [whole, whole.subarray(0, floor)];
  for (const { start } of loose) if (start >= floor) kept.push(whole.subarray(0, start));
  for (const size of sectors) {
    const ranges = sectorsOf(layout, size);
    for (const { start } of ranges) if (start >= floor) kept.push(whole.subarray(0, start));
    for (const missing of selectionsOf(ranges, random)) {
      kept.push(
        filled(whole, missing, zeros),
        filled(whole, missing, (at) => stale[at % stale.byteLength] ?? 0),
      );
    }
    if (floor < whole.byteLength) {
      const padding = Buffer.alloc(size - (whole.byteLength % size));
      kept.push(Buffer.concat([whole, padding]), Buffer.concat([whole.subarray(0, floor), padding]));
    }
  }
  for (const missing of selectionsOf(loose, random)) kept.push(filled(whole, missing, zeros));
  for (let cut = 0; cut < 6 && floor < whole.byteLength; cut += 1) {
    kept.push(whole.subarray(0, random.int(floor, whole.byteLength)));
  }
  return unique(kept);
}

function layoutOf(extents: readonly Extent[]): Layout {
  const loose: { start: number; end: number }[] = [];
  let floor = 0;
  let at = 0;
  for (const { bytes, state } of extents) {
    const end = at + bytes.byteLength;
    if (state === 'durable') floor = end;
    else loose.push({ start: at, end });
    at = end;
  }
  return { whole: Buffer.concat(extents.map((extent) => extent.bytes)), floor, loose };
}

// Every unsafe range, split at sector boundaries.
function sectorsOf({ loose }: Layout, size: number): Layout['loose'] {
  const found: { start: number; end: number }[] = [];
  for (const range of loose) {
    for (let start = range.start; start < range.end; ) {
      const end = Math.min(range.end, start - (start % size) + size);
      found.push({ start, end });
      start = end;
    }
  }
  return found;
}

// Every selection of a few items; for many items, only some selections.
function selectionsOf<Item>(items: readonly Item[], random: Random): readonly (readonly Item[])[] {
  if (items.length <= most) {
    const all = Array.from({ length: 2 ** items.length }, (_, bits) => bits);
    return all.slice(1).map((bits) => items.filter((_, index) => (bits >> index) & 1));
  }
  const some = Array.from({ length: 6 }, () => items.filter(() => random.chance(0.5)));
  return [items, ...items.slice(0, 8).map((item) => [item]), ...some];
}

const zeros = () => 0;

function filled(whole: Buffer, missing: Layout['loose'], byteAt: (at: number) => number): Buffer {
  const copy = Buffer.from(whole);
  for (const { start, end } of missing) for (let at = start; at < end; at += 1) copy[at] = byteAt(at);
  return copy;
}

function unique(kept: readonly Buffer[]): Kept {
  return [...new Map(kept.map((bytes) => [bytes.toString('latin1'), bytes])).values()];
}
