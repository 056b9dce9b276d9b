import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TranscriptEntry } from '../../agents/index.ts';
import type { LogEntry } from '../read-logs.ts';

/** An entry of a transcript with its number, which it keeps while the agent goes on. */
export type NumberedEntry = TranscriptEntry & {
  /** Counts from 1 within an attempt. */
  readonly number: number;
};

/** After so many pieces, others get their turn: reading files takes no time of its own to wait for. */
const batch = 200;
/** A longer message is several entries. */
const maxTextLength = 8_000;

/**
 * Numbers what an agent wrote and did. Text comes in pieces of any size; it is put together to messages and cut only by
 * its own length, so that the numbers do not depend on the pieces.
 */
export async function* numberedEntries(entries: AsyncIterable<LogEntry>): AsyncGenerator<NumberedEntry> {
  let number = 0;
  let text = '';
  let startsMessage = true;
  const take = (length: number): NumberedEntry => {
    number += 1;
    const entry = { type: 'text', text: text.slice(0, length), startsMessage, number } as const;
    text = text.slice(length);
    startsMessage = false;
    return entry;
  };
  let pieces = 0;
  for await (const entry of entries) {
    pieces += 1;
    if (pieces % batch === 0) await nextTurn();
    if (entry.type === 'attempt') continue;
    if (entry.type === 'text' && !entry.startsMessage) {
      text += entry.text;
      while (text.length >= maxTextLength) yield take(cutOf(text));
      continue;
    }
    if (text !== '') yield take(text.length);
    startsMessage = true;
    if (entry.type === 'text') {
      text = entry.text;
      while (text.length >= maxTextLength) yield take(cutOf(text));
      continue;
    }
    number += 1;
    yield { ...entry, number };
  }
  if (text !== '') yield take(text.length);
}

/** At the end of a line, if there is one. */
function cutOf(text: string): number {
  const lineEnd = text.lastIndexOf('\n', maxTextLength - 1);
  if (lineEnd > 0) return lineEnd + 1;
  const last = text.charCodeAt(maxTextLength - 1);
  // A pair of surrogates stays together.
  return last >= 0xd800 && last <= 0xdbff ? maxTextLength - 1 : maxTextLength;
}
