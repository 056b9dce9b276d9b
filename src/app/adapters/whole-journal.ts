import { type RecordedFact, readFact } from '../../protocol/index.ts';
import { readWholeJournal } from '../../store/index.ts';
import { type LoopPlace, openStore } from '../stores.ts';

/** Every fact of a loop's journal; facts that this version cannot read are skipped. */
export function readFacts(place: Pick<LoopPlace, 'root'>, loopId: string): readonly RecordedFact[] {
  const { entries } = readWholeJournal(openStore(place).place(loopId));
  return entries.flatMap((entry) => {
    const reading = readFact(entry);
    return reading.ok ? [reading.fact] : [];
  });
}
