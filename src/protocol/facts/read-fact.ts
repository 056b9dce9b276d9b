import { upcastFact } from '../upcast/steps.ts';
import { factCatalogue, isFactType, type RecordedFact } from './catalogue.ts';

/** A journal entry before validation. */
export interface UntypedEntry {
  readonly seq: number;
  readonly at: string;
  readonly epoch: number;
  readonly type: string;
  readonly data: unknown;
}

/** Either the fact, or why this version cannot read it. */
export type FactReading =
  | { readonly ok: true; readonly fact: RecordedFact }
  | { readonly ok: false; readonly problem: string };

/** Validates a journal entry. An entry this version does not understand is reported, never guessed at. */
export function readFact(entry: UntypedEntry): FactReading {
  if (!isFactType(entry.type)) {
    return { ok: false, problem: `entry ${entry.seq} has the unknown type "${entry.type}"` };
  }
  const parsed = factCatalogue[entry.type].data.safeParse(upcastFact(entry.type, entry.data));
  if (!parsed.success) {
    const first = parsed.error.issues[0];
    const where = first === undefined ? '' : ` (${first.path.join('.')}: ${first.message})`;
    return { ok: false, problem: `entry ${entry.seq}, ${entry.type}, does not have the expected shape${where}` };
  }
  const { seq, at, epoch } = entry;
  return { ok: true, fact: { type: entry.type, data: parsed.data, seq, at, epoch } as RecordedFact };
}
