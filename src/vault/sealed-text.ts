import { copiesIn, disguised, type FileToOpen, type FrameOpener, headOf, lineBreak, opener } from './frames.ts';

/** What a sealed file says. Nothing is decrypted before somebody asks for it. */
export interface SealedText {
  /** The bytes from 0 up to a place, and maybe more. */
  upTo(end: number): Buffer;
  whole(): Buffer;
  /** The text of the file after it grew, without decrypting it again; undefined if it did anything else than grow. */
  grownTo(file: Buffer): SealedText | undefined;
}

/** How far a file has been decrypted. */
interface Reached {
  /** Where the next frame begins in the file. */
  readonly at: number;
  readonly text: Buffer;
  readonly nextFrame: number;
  /** Whether what was read last is not authentic. */
  readonly isBroken: boolean;
}

/** What a sealed file says. */
export function openFrames(file: Buffer, binding: FileToOpen): Buffer {
  return readSealed(file, binding).whole();
}

/**
 * Reads a sealed file. Bytes that are not authentic are shown disguised, so that nobody takes them for what was
 * written; the next authentic frame is preceded by the bytes that should stand there.
 */
export function readSealed(file: Buffer, binding: FileToOpen): SealedText {
  const copies = copiesIn(file, binding);
  const at = copies.reduce((sum, copy) => sum + copy.byteLength, 0);
  const start = { at, text: Buffer.alloc(0), nextFrame: 0, isBroken: false };
  return textFrom(file, opener(copies, binding), start);
}

/** A file that is not authentic from its first byte on. */
export function garbage(bytes: Buffer): SealedText {
  const shown = disguised(bytes);
  return { upTo: () => shown, whole: () => shown, grownTo: () => undefined };
}

/** Smaller files are decrypted faster than compared. */
const smallestRemembered = 64 * 1024;

/**
 * Keeps what the file that was read last says, as long as there is memory: who follows a journal reads it after each fact, and
 * only what is new is decrypted then. All its bytes are compared.
 */
export function rememberedText(): (place: string, bytes: Buffer, read: () => SealedText) => SealedText {
  let last: { readonly place: string; readonly text: WeakRef<SealedText> } | undefined;
  return (place, bytes, read) => {
    const known = last?.place === place ? last.text.deref() : undefined;
    const text = known?.grownTo(bytes) ?? read();
    if (bytes.byteLength >= smallestRemembered) last = { place, text: new WeakRef(text) };
    return text;
  };
}

function textFrom(file: Buffer, open: FrameOpener, start: Reached): SealedText {
  let reached = start;
  let whole: Buffer | undefined;
  const text: SealedText = {
    upTo(end) {
      reached = decrypt(file, open, { from: reached, end });
      return reached.text.byteLength < end ? text.whole() : reached.text;
    },
    whole() {
      reached = decrypt(file, open, { from: reached, end: Number.POSITIVE_INFINITY });
      // A file is never written without a frame.
      const isEmpty = reached.text.byteLength === 0 && reached.at === file.byteLength;
      whole ??= isEmpty ? disguised(file) : Buffer.concat([reached.text, disguised(file.subarray(reached.at))]);
      return whole;
    },
    grownTo(grown) {
      // Before the first frame, it is not certain that the beginning of the file is complete.
      const isContinued = reached.nextFrame > 0 && grown.subarray(0, file.byteLength).equals(file);
      return isContinued ? textFrom(grown, open, reached) : undefined;
    },
  };
  return text;
}

function decrypt(
  file: Buffer,
  open: FrameOpener,
  { from, end }: { readonly from: Reached; readonly end: number },
): Reached {
  const pieces = [from.text];
  let { at, nextFrame, isBroken } = from;
  let length = from.text.byteLength;
  while (length < end) {
    const lineEnd = file.indexOf(lineBreak, at);
    if (lineEnd < 0) break;
    const line = file.subarray(at, lineEnd);
    at = lineEnd + 1;
    const head = headOf(line);
    const found = head && head.n >= nextFrame ? open(line, head) : undefined;
    const shown = found && head ? shownOf(found, { isMissing: head.n > nextFrame, isBroken }) : [disguised(line)];
    if (head && found) nextFrame = head.n + 1;
    isBroken = found === undefined;
    pieces.push(...shown);
    length += shown.reduce((sum, piece) => sum + piece.byteLength, 0);
  }
  return pieces.length === 1 ? { ...from, at } : { at, text: Buffer.concat(pieces), nextFrame, isBroken };
}

/** What a frame shows; after a frame that is damaged or missing also the end of that one. */
function shownOf(
  { carried, bytes }: { readonly carried: Buffer; readonly bytes: Buffer },
  { isMissing, isBroken }: { readonly isMissing: boolean; readonly isBroken: boolean },
): readonly Buffer[] {
  if (isBroken) return [carried, bytes];
  return isMissing ? [Buffer.of(0xff), carried, bytes] : [bytes];
}
