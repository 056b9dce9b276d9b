import type { RecordedFact } from '../../protocol/index.ts';

/** One line of `--json` output for a fact. */
export function factObject(loopId: string, { type, seq, at, data }: RecordedFact): Record<string, unknown> {
  return { type, loopId, seq, at, ...data };
}
