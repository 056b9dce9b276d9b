import { scrub } from '../../base/index.ts';
import type { PersonNote } from '../../core/index.ts';
import { localInstant } from '../output/instants.ts';
import { oneLine } from '../output/plain.ts';

/** The notes of people, one line each. */
export function noteLines(notes: readonly PersonNote[], nowMs: number): readonly string[] {
  return notes.map((note) => `  ${localInstant(Date.parse(note.at), nowMs)}  ${noteText(note)}`);
}

/** A note with its kind, the iteration it was written after, and its author. */
export function noteText({ kind, text, iteration, sender }: Omit<PersonNote, 'at'>): string {
  const when = iteration === 0 ? 'before iteration 1' : `after iteration ${iteration}`;
  const who = sender?.user === undefined ? '' : `, ${oneLine(scrub(sender.user), 60)}`;
  return `${kind}: ${oneLine(scrub(text), 400)} (${when}${who})`;
}
