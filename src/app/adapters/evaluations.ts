import { type Evaluation, evaluationsOf } from '../../core/index.ts';
import { readFact } from '../../protocol/index.ts';
import { readWholeJournal } from '../../store/index.ts';
import { type LoopPlace, openStore } from '../stores.ts';

/** The evaluations in a loop's whole journal; what this version cannot read is skipped. */
export function readEvaluations(place: LoopPlace, loopId: string): readonly Evaluation[] {
  const { entries } = readWholeJournal(openStore(place).place(loopId));
  const facts = entries.flatMap((entry) => {
    const reading = readFact(entry);
    return reading.ok ? [reading.fact] : [];
  });
  return evaluationsOf(facts);
}
