import { crc32 } from 'node:zlib';
import type { RecordedFact } from '../../protocol/index.ts';
import type { Frame } from '../http/event-stream.ts';
import { toJson } from '../http/json.ts';

/** The last fact that a reader knows. */
export interface Cursor {
  readonly seq: number;
  /** Tells this fact from another one with the same number; without it, the number has to do. */
  readonly mark?: string | undefined;
}

/** A fact as it is sent, and its mark. */
export function sentFact(fact: RecordedFact): { readonly frame: Frame; readonly mark: string } {
  const json = toJson(fact);
  // A fact has its instant and the epoch of its owner, so no other fact reads the same.
  const mark = crc32(json).toString(16).padStart(8, '0');
  return { frame: `event: fact\nid: ${writeCursor({ seq: fact.seq, mark })}\ndata: ${json}\n\n`, mark };
}

/** A cursor as readers get it and return it. */
export function writeCursor({ seq, mark }: Cursor): string {
  return mark === undefined ? String(seq) : `${seq}-${mark}`;
}

/** Undefined for a text that is no cursor. */
export function parseCursor(text: string): Cursor | undefined {
  const [, seq, mark] = /^(\d{1,15})(?:-([0-9a-f]{8}))?$/u.exec(text) ?? [];
  return seq === undefined ? undefined : { seq: Number(seq), mark };
}
