/** One way in which bytes on a disk can be damaged. */
export interface Change {
  readonly what: string;
  readonly bytes: Buffer;
  /** Set when the file was only truncated: its new length. */
  readonly cutAt?: number;
}

const block = 512;

/** Every single-bit flip of a file; a stride of 3, 5 or 7 skips bits but still covers all eight positions. */
export function* flips(bytes: Buffer, stride = 1): Generator<Change> {
  for (let bit = 0; bit < bytes.byteLength * 8; bit += stride) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    yield { what: `bit ${bit} flipped`, bytes: flipped };
  }
}

/** Every truncation of a file. */
export function* cuts(bytes: Buffer): Generator<Change> {
  for (let cutAt = 0; cutAt < bytes.byteLength; cutAt += 1) {
    yield { what: `cut to ${cutAt} bytes`, bytes: bytes.subarray(0, cutAt), cutAt };
  }
}

/** Blocks of a file zeroed, duplicated and swapped. */
export function* blockMixes(bytes: Buffer): Generator<Change> {
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.byteLength; at += block) blocks.push(bytes.subarray(at, at + block));
  for (const [index, one] of blocks.entries()) {
    yield { what: `block ${index} zeroed`, bytes: Buffer.concat(blocks.with(index, Buffer.alloc(one.byteLength))) };
    yield { what: `block ${index} doubled`, bytes: Buffer.concat(blocks.toSpliced(index, 0, one)) };
    for (const [second, other] of blocks.entries()) {
      if (second <= index) continue;
      const swapped = blocks.with(index, other).with(second, one);
      yield { what: `blocks ${index} and ${second} swapped`, bytes: Buffer.concat(swapped) };
    }
  }
}

/** Replaces lines of this file with lines of another loop's file, or inserts them. */
export function* splices(bytes: Buffer, foreign: Buffer): Generator<Change> {
  const lines = linesOf(bytes);
  for (const [from, line] of linesOf(foreign).entries()) {
    for (let at = 0; at <= lines.length; at += 1) {
      const what = `line ${from} of another loop`;
      yield { what: `${what} before line ${at}`, bytes: Buffer.concat(lines.toSpliced(at, 0, line)) };
      if (at < lines.length) yield { what: `${what} for line ${at}`, bytes: Buffer.concat(lines.with(at, line)) };
    }
  }
}

function linesOf(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let at = 0; at < bytes.byteLength; ) {
    const end = bytes.indexOf(0x0a, at);
    const next = end < 0 ? bytes.byteLength : end + 1;
    lines.push(bytes.subarray(at, next));
    at = next;
  }
  return lines;
}
