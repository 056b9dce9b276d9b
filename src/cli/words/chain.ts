import type { ChainLink } from '../../app/index.ts';
import { costText } from './spent.ts';

/** The loops that continue each other's work, in words. */
export interface ChainText {
  /** Oldest first. */
  readonly loops: readonly ChainedText[];
  /** What all of them took. */
  readonly total: string;
}

/** One loop of a chain. */
export interface ChainedText {
  readonly id: string;
  readonly status: string;
  readonly iterations: string;
  readonly cost: string;
  /** Whether it is the one that is reported. */
  readonly isThis: boolean;
}

/** Phrases a chain; undefined for a loop that stands alone. */
export function chainText(chain: readonly ChainLink[], id: string): ChainText | undefined {
  if (chain.length === 0) return undefined;
  const known = chain.flatMap((link) => link.known ?? []);
  const sum = (amountOf: (link: (typeof known)[number]) => number) =>
    known.reduce((total, link) => total + amountOf(link), 0);
  const cost = costText({
    runs: sum(({ spent }) => spent.runs),
    costUsd: sum(({ spent }) => spent.costUsd),
    unreportedCost: sum(({ spent }) => spent.unreportedCost),
  });
  const iterations = sum(({ iterations: count }) => count);
  const gone = chain.length - known.length;
  const isAll = gone === 0 ? '' : `, without ${gone} that ${gone === 1 ? 'is' : 'are'} gone`;
  const amount = `${iterations} ${iterations === 1 ? 'iteration' : 'iterations'} in ${chain.length} loops${isAll}`;
  return {
    loops: chain.map((link) => chainedText(link, id)),
    total: `${amount}; cost: ${cost ?? 'none'}`,
  };
}

function chainedText({ loopId, known }: ChainLink, id: string): ChainedText {
  const isThis = loopId === id;
  if (known === undefined) return { id: loopId, status: 'gone', iterations: '?', cost: '?', isThis };
  const { status, iterations, spent } = known;
  const isReported = spent.runs > 0 && spent.unreportedCost < spent.runs;
  const cost = isReported ? `${spent.unreportedCost === 0 ? '' : '≥ '}$${spent.costUsd.toFixed(2)}` : '?';
  return { id: loopId, status, iterations: String(iterations), cost, isThis };
}

/** The commands that lead to the loop before and to the one after. */
export function chainSteps(chain: readonly ChainLink[], id: string) {
  const index = chain.findIndex(({ loopId }) => loopId === id);
  const [before, after] = [chain[index - 1], chain[index + 1]];
  return [
    ...(after === undefined
      ? []
      : [{ command: `ralphd report ${after.loopId}`, does: 'see the loop that continues this one' }]),
    ...(before?.known === undefined
      ? []
      : [{ command: `ralphd report ${before.loopId}`, does: 'see the loop that this one continues' }]),
  ];
}
