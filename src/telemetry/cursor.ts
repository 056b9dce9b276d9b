import type { Instant } from './span.ts';

/** How far the spans of a loop have been sent. */
export interface Cursor {
  readonly sent: Instant;
  /** Whether that is all there will be: the loop is over. */
  readonly isOver: boolean;
}

/** Nothing has been sent. */
const nothingSent: Cursor = { sent: { epoch: 0, seq: 0 }, isOver: false };

/** A cursor as the text of a file. */
export function writeCursor({ sent: { epoch, seq }, isOver }: Cursor): string {
  return `${JSON.stringify({ version: 1, sent: { epoch, seq }, isOver })}\n`;
}

/** Reads it again. Without it everything is sent once more, which receivers recognise by the ids. */
export function readCursor(text: string | undefined): Cursor {
  try {
    const { sent, isOver = false } = JSON.parse(text ?? '') as { sent?: Partial<Instant>; isOver?: unknown };
    const { epoch, seq } = sent ?? {};
    const isValid = typeof epoch === 'number' && typeof seq === 'number';
    return isValid ? { sent: { epoch, seq }, isOver: isOver === true } : nothingSent;
  } catch {
    return nothingSent;
  }
}
