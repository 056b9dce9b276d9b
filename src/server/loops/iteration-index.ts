import type { RecordedFact } from '../../protocol/index.ts';

/** From which fact on the journal tells everything about an iteration: a number for each. */
export interface IterationIndex {
  take(fact: RecordedFact): void;
  /** Undefined for an iteration that does not exist. */
  since(iteration: number): number | undefined;
}

/** An iteration is compared with the one that last ran the tests, so reading begins there. */
export function createIterationIndex(): IterationIndex {
  const since: (number | undefined)[] = [];
  let testedSince: number | undefined;
  let current = 0;
  let hasTests = false;
  return {
    take(fact) {
      switch (fact.type) {
        case 'baseline.finished':
          if (fact.data.tests !== undefined) testedSince = fact.seq;
          return;
        case 'iteration.started':
          hasTests = false;
          if (since[fact.data.iteration] !== undefined) return;
          current = fact.seq;
          since[fact.data.iteration] = Math.min(fact.seq, testedSince ?? fact.seq);
          return;
        case 'gate.finished':
          hasTests = fact.data.tests !== undefined;
          return;
        case 'iteration.finished':
          if (hasTests) testedSince = current;
          return;
        default:
          return;
      }
    },
    since: (iteration) => since[iteration],
  };
}
