/** Cuts a stream of bytes into lines. A line that is too long to be read is dropped, not buffered. */
export interface LineSplitter {
  push(chunk: Uint8Array): void;
  /** The last line may lack its newline. */
  end(): void;
}

/** Receives the lines. */
export interface LineTaker {
  readonly line: (text: string) => void;
  /** A line exceeded the maximum length. */
  readonly tooLong: () => void;
}

const newline = 0x0a;
const maxLineLength = 16 * 1024 * 1024;

/** Splits at newlines, so that a character cut by a chunk is whole again before it is decoded. */
export function createLineSplitter({ line, tooLong }: LineTaker, maxLength = maxLineLength): LineSplitter {
  // A byte order mark at the start of a block would be treated as that of the whole stream.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let pending: Uint8Array[] = [];
  let bytes = 0;

  /** Passes on whole lines; decoding them together costs a fraction of decoding each. */
  const give = (block: Uint8Array) => {
    for (const text of decoder.decode(block).split('\n')) {
      if (text.length > maxLength) tooLong();
      else line(text);
    }
  };
  /** Ends the line that was begun in earlier chunks. */
  const finish = (last: Uint8Array) => {
    if (bytes + last.byteLength > maxLength) tooLong();
    else give(joined([...pending, last], bytes + last.byteLength));
    pending = [];
    bytes = 0;
  };

  return {
    push(chunk) {
      const end = chunk.lastIndexOf(newline);
      const first = bytes > 0 ? chunk.indexOf(newline) : -1;
      if (first !== -1) finish(chunk.subarray(0, first));
      if (end > first) give(chunk.subarray(first + 1, end));
      const rest = chunk.subarray(end + 1);
      if (rest.byteLength === 0) return;
      bytes += rest.byteLength;
      if (bytes > maxLength) pending = [];
      // The chunk belongs to the reader and may be overwritten.
      else pending.push(new Uint8Array(rest));
    },
    end() {
      if (bytes > 0) finish(new Uint8Array());
    },
  };
}

function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}
