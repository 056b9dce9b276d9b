import { type FailureClass, failureClasses, type RecordedFact } from '../../protocol/index.ts';

/** How often one agent with one model failed for one kind of reason. */
export interface FailureCount {
  readonly agent: string;
  /** Missing when the agent did not name it. */
  readonly model?: string;
  readonly class: FailureClass;
  readonly count: number;
}

/** The failed attempts of a loop, counted from its facts. */
export interface FailureTally {
  readonly agent: string;
  /** The model of the attempt under way, once it is known. */
  readonly model?: string;
  readonly counts: readonly FailureCount[];
}

/** The facts that matter here; all others may be left out. */
export const talliedFacts: ReadonlySet<string> = new Set<RecordedFact['type']>([
  'iteration.started',
  'agent.finished',
  'iteration.finished',
  'iteration.interrupted',
]);

/** Counts one more fact. Attempts that were ended on request, or with the process that drove them, did not fail. */
export function tallyFailure(tally: FailureTally, fact: RecordedFact): FailureTally {
  const { model: _earlier, ...rest } = tally;
  switch (fact.type) {
    case 'iteration.started':
      return rest;
    case 'agent.finished':
      return fact.data.model === undefined ? rest : { ...rest, model: fact.data.model };
    case 'iteration.finished':
      return fact.data.failure === undefined ? tally : counted(tally, fact.data.failure.class);
    case 'iteration.interrupted': {
      const { cause } = fact.data;
      const kind = failureClasses.find((each) => each === cause);
      return kind === undefined ? tally : counted(tally, kind);
    }
    default:
      return tally;
  }
}

/** Adds up the counts of several loops, the most frequent first. */
export function addFailures(counts: Iterable<FailureCount>): readonly FailureCount[] {
  const sums = new Map<string, FailureCount>();
  for (const each of counts) {
    const key = JSON.stringify([each.agent, each.model, each.class]);
    sums.set(key, { ...each, count: each.count + (sums.get(key)?.count ?? 0) });
  }
  return [...sums.values()].toSorted((one, other) => other.count - one.count);
}

function counted(tally: FailureTally, kind: FailureClass): FailureTally {
  const { agent, model } = tally;
  const one = { agent, ...(model === undefined ? {} : { model }), class: kind, count: 1 };
  return { ...tally, counts: addFailures([...tally.counts, one]) };
}
