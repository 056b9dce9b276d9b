import { LoopError, type RedactedStream } from '../../base/index.ts';
import { type FilePort, look, type OpenFile } from '../../files/index.ts';

/** The end of a file that a program writes, redacted. */
export interface SpoolTail extends Disposable {
  /** Reads what was added, with `isOver` also what may be the beginning of a secret; whether anything was added. */
  advance(isOver: boolean): boolean;
  /** The end, and how many bytes there were up to there. */
  read(): { readonly bytes: Uint8Array; readonly end: number };
}

interface TailSetting {
  readonly maxBytes: number;
  readonly stream: () => RedactedStream;
}

const chunkBytes = 64 * 1024;
/** A program that prints more than this between two looks is not read to the full. */
const maxBehindBytes = 1024 * 1024;
const lineBreak = 0x0a;

/** Opens the file when it exists. */
export function createSpoolTail(files: FilePort, place: string, setting: TailSetting): SpoolTail {
  const { maxBytes, stream } = setting;
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let file: OpenFile | undefined;
  let position = 0;
  let redacted = stream();
  let decoder = new TextDecoder();
  let isEnded = false;
  let tail = Buffer.alloc(0);
  let end = 0;
  const add = (text: string) => {
    if (text === '') return false;
    const bytes = Buffer.from(text);
    end += bytes.byteLength;
    tail = endOf(Buffer.concat([tail, bytes]), maxBytes);
    return true;
  };
  const nextText = () => {
    const length = file === undefined ? 0 : files.read(file, buffer, position);
    position += length;
    return length === 0 ? undefined : redacted.push(decoder.decode(buffer.subarray(0, length), { stream: true }));
  };
  /** What follows begins in the middle of something: as much as a secret may have is read and dropped. */
  const skip = (size: number) => {
    const to = size - maxBytes - chunkBytes;
    end += to - position + chunkBytes;
    position = to;
    tail = Buffer.alloc(0);
    redacted = stream();
    decoder = new TextDecoder();
    nextText();
  };
  return {
    advance(isOver) {
      if (isEnded) return false;
      let isNew = false;
      try {
        if (file === undefined && look(files, place) !== undefined) file = files.openToRead(place);
        if (file !== undefined) {
          const { size } = files.lookAt(file);
          if (size - position > maxBehindBytes) skip(size);
          for (let text = nextText(); text !== undefined; text = nextText()) isNew = add(text) || isNew;
        }
      } catch (error) {
        // A spool that cannot be read is only not shown elsewhere.
        if (!(error instanceof LoopError || (error instanceof Error && 'code' in error))) throw error;
      }
      if (!isOver) return isNew;
      isEnded = true;
      return add(redacted.push(decoder.decode()) + redacted.end()) || isNew;
    },
    read: () => ({ bytes: tail, end }),
    [Symbol.dispose]: () => {
      if (file !== undefined) files.close(file);
      file = undefined;
    },
  };
}

/** The end of bytes, from the beginning of a line if there is one. */
function endOf(bytes: Buffer<ArrayBuffer>, maxBytes: number): Buffer<ArrayBuffer> {
  if (bytes.byteLength <= maxBytes) return bytes;
  const cut = bytes.subarray(-maxBytes);
  const line = cut.indexOf(lineBreak) + 1;
  return Buffer.from(cut.subarray(line === cut.byteLength ? 0 : line));
}
