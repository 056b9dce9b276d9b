import { type Evaluation, evaluationsOf } from '../../core/index.ts';
import type { LoopPlace } from '../stores.ts';
import { readFacts } from './whole-journal.ts';

/** The evaluations in a loop's whole journal; facts that this version cannot read are skipped. */
export function readEvaluations(place: LoopPlace, loopId: string): readonly Evaluation[] {
  return evaluationsOf(readFacts(place, loopId));
}
