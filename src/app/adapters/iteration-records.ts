import {
  emptyHistory,
  foldHistory,
  type HistoryFold,
  type IterationRecord,
  openIterationOf,
} from '../../core/index.ts';
import { fromStateDocument } from '../../formats/index.ts';
import { type RecordedFact, readFact } from '../../protocol/index.ts';
import type { OpenLoop } from '../../store/index.ts';

/** Follows a loop and returns the record of each finished iteration. */
export interface IterationRecords {
  follow(facts: readonly RecordedFact[]): readonly IterationRecord[];
}

/** Follows a loop from its snapshot; `opening` are facts recorded after the snapshot. */
export function createIterationRecords({ recovered }: OpenLoop): {
  readonly records: IterationRecords;
  readonly opening: readonly IterationRecord[];
} {
  const base = recovered.snapshot === undefined ? undefined : fromStateDocument(recovered.snapshot);
  const open = base && openIterationOf(base);
  let fold: HistoryFold = { history: emptyHistory(1), ...(open && { open }) };
  const follow = (facts: readonly RecordedFact[]) => {
    const closed: IterationRecord[] = [];
    for (const fact of facts) {
      const { history } = fold;
      fold = foldHistory(fold, fact);
      const record = fold.history === history ? undefined : fold.history.records.at(-1);
      if (record !== undefined) closed.push(record);
    }
    return closed;
  };
  const opening = recovered.entries.flatMap((entry) => {
    const reading = readFact(entry);
    return reading.ok ? follow([reading.fact]) : [];
  });
  return { records: { follow }, opening };
}
