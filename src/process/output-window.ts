/** Keeps the beginning and the end of an output of any length in memory of a fixed size. */
export interface OutputWindow {
  readonly push: (chunk: Uint8Array) => void;
  /** The kept text; a line in the middle states how much is missing. */
  readonly read: () => { readonly output: string; readonly truncatedBytes: number };
}

/** Creates a window of at most `limit` bytes: a quarter for the beginning, the rest for the end. */
export function createOutputWindow(limit: number): OutputWindow {
  const head = Buffer.alloc(Math.floor(limit / 4));
  const tail = Buffer.alloc(limit - head.length);
  let headLength = 0;
  let tailTotal = 0;

  const push = (chunk: Uint8Array) => {
    const forHead = Math.min(chunk.length, head.length - headLength);
    head.set(chunk.subarray(0, forHead), headLength);
    headLength += forHead;
    writeRing(tail, tailTotal, chunk.subarray(forHead));
    tailTotal += chunk.length - forHead;
  };

  const read = () => {
    const beginning = head.subarray(0, headLength);
    if (tailTotal <= tail.length) {
      return { output: Buffer.concat([beginning, tail.subarray(0, tailTotal)]).toString(), truncatedBytes: 0 };
    }
    const cut = tailTotal % tail.length;
    const end = Buffer.concat([tail.subarray(cut), tail.subarray(0, cut)]);
    const first = beginning.subarray(0, wholeLength(beginning));
    const last = end.subarray(continuationLength(end));
    const truncatedBytes = headLength + tailTotal - first.length - last.length;
    const output = `${first.toString()}\n[… ${truncatedBytes} bytes left out …]\n${last.toString()}`;
    return { output, truncatedBytes };
  };

  return { push, read };
}

/** The length of a chunk without the character cut off at its end, if one is. */
export function wholeLength(chunk: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, chunk.length); back += 1) {
    const byte = chunk[chunk.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return sequenceLength(byte) > back ? chunk.length - back : chunk.length;
  }
  return chunk.length;
}

function continuationLength(chunk: Uint8Array): number {
  let length = 0;
  while (length < 3 && length < chunk.length && isContinuation(chunk[length] ?? 0)) length += 1;
  return length;
}

function writeRing(ring: Buffer, total: number, chunk: Uint8Array): void {
  const last = chunk.subarray(Math.max(0, chunk.length - ring.length));
  const at = (total + chunk.length - last.length) % ring.length;
  const first = last.subarray(0, ring.length - at);
  ring.set(first, at);
  ring.set(last.subarray(first.length), 0);
}

function isContinuation(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000;
}

function sequenceLength(leadByte: number): number {
  if (leadByte >= 0b1111_0000) return 4;
  if (leadByte >= 0b1110_0000) return 3;
  return leadByte >= 0b1100_0000 ? 2 : 1;
}
