import type { RecordedFact } from '../../protocol/index.ts';
import { addToNight, type LoopModel, type Night, noNight, takeFact } from '../../views/index.ts';

/** Everything that the page shows of a loop, folded from its facts, in bounded memory. */
export interface LoopFold {
  readonly model: LoopModel;
  readonly night: Night;
  /** The number of the last fact. */
  readonly seq: number;
  /** Tells the last fact from another one with its number; undefined if the journal does not have it. */
  readonly mark?: string | undefined;
}

/** Nothing but the loop as it was read. */
export function startFold(model: LoopModel): LoopFold {
  return { model, night: noNight, seq: 0 };
}

/** Takes one more fact. */
export function addToFold({ model: before, night }: LoopFold, fact: RecordedFact, mark?: string): LoopFold {
  const model = takeFact(before, fact);
  const { closed } = model.history;
  const row = closed === before.history.closed ? undefined : closed.at(-1);
  const { open } = before.history.fold;
  return { model, night: row && open ? addToNight(night, row, open) : night, seq: fact.seq, mark };
}
