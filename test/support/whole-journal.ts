import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type JournalEntry, openLoopFolders } from '../../src/store/index.ts';

/**
 * Every fact of a loop, from its journal alone: without a snapshot next to it, a journal is read from its beginning.
 */
export function readWholeJournal(folder: string, loopId: string): readonly JournalEntry[] {
  const copy = mkdtempSync(path.join(os.tmpdir(), 'ralphd-journal-'));
  try {
    const journal = path.join('loops', loopId, 'journal');
    cpSync(path.join(folder, '.ralph', journal), path.join(copy, journal), { recursive: true });
    const owner = { host: '', bootId: '', pid: process.pid, startTime: '' };
    const store = openLoopFolders({ root: copy, owner, livenessOf: () => 'dead', now: () => new Date() });
    return store.read(loopId).entries;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** A line printed by `run --json`: its fact is durable, so it was acknowledged. */
export interface Printed {
  readonly type: string;
  readonly seq?: number;
  readonly loopId?: string;
}

/** Records acknowledged facts, to compare them with the journal later. */
export class Acknowledged {
  readonly #types = new Map<number, string>();

  get count(): number {
    return this.#types.size;
  }

  /** Records one printed line. */
  take(line: string): Printed {
    const printed = JSON.parse(line) as Printed;
    if (printed.seq !== undefined) this.#types.set(printed.seq, printed.type);
    return printed;
  }

  /** One sentence for each acknowledged fact that is missing from the journal. */
  lostFrom(entries: readonly JournalEntry[]): readonly string[] {
    const bySeq = new Map(entries.map(({ seq, type }) => [seq, type]));
    return [...this.#types].flatMap(([seq, type]) =>
      bySeq.get(seq) === type ? [] : [`fact ${seq}, ${type}, was acknowledged and is lost`],
    );
  }
}
