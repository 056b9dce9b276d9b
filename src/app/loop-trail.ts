import { LoopError } from '../base/index.ts';
import type { IterationSign } from '../core/index.ts';
import { readFact } from '../protocol/index.ts';
import { openFacts } from '../store/index.ts';
import { addFact, noHistory, rowsOf } from '../views/index.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** How the newest iterations of a loop went. */
export interface LoopTrail {
  /** Oldest first; reads only what was recorded since the last time. */
  read(): readonly IterationSign[];
}

/** Facts of an iteration, generously counted. */
const factsEach = 40;

/** The results of a number of newest iterations of a loop, whose last fact has a number. */
export function openTrail(place: LoopPlace, loopId: string, { lastSeq, count }: TrailLength): LoopTrail {
  const facts = openFacts(openStore(place).place(loopId), Math.max(0, lastSeq - factsEach * (count + 1)));
  let history = noHistory;
  return {
    read() {
      try {
        for (let entries = facts.next(); entries.length > 0; entries = facts.next()) {
          for (const entry of entries) {
            const reading = readFact(entry);
            if (reading.ok) history = addFact(history, reading.fact);
          }
        }
      } catch (error) {
        // What cannot be read is not shown; the list says what is wrong with the loop.
        if (!(error instanceof LoopError)) throw error;
      }
      return rowsOf(history)
        .slice(-count)
        .map(({ sign }) => sign);
    },
  };
}

interface TrailLength {
  readonly lastSeq: number;
  readonly count: number;
}
