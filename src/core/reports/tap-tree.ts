import type { Counts } from './report.ts';
import { addCounts, type Tally } from './tally.ts';

/** One test point, and its depth. */
export interface TapPoint {
  readonly indent: number;
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly name: string;
  /** Whether a brace after it opens a list of its subtests. */
  readonly isParent: boolean;
}

const maxWaiting = 20_000;

/** Separates the points that are tests from those that only summarise their subtests. */
export function createTapTree(tally: Tally) {
  let counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  let waiting: TapPoint[] = [];
  let parents: TapPoint[] = [];

  const settle = ({ status, name }: TapPoint) => {
    counts = addCounts(counts, { [status]: 1 });
    tally.name(status, name);
  };
  const settleAll = () => {
    for (const point of waiting) settle(point);
    waiting = [];
  };

  /** Takes the next point. The deeper ones before it were its own. */
  const place = (next: TapPoint): void => {
    parents = parents.filter(({ indent }) => indent < next.indent);
    const path = parents.map(({ name }) => name);
    if (next.isParent) {
      parents.push(next);
      return;
    }
    // Points in braces know already where they belong.
    if (path.length > 0) return settle({ ...next, name: [...path, next.name].join(' > ') });
    const first = 1 + waiting.findLastIndex(({ indent }) => indent <= next.indent);
    if (first === waiting.length) waiting.push(next);
    else {
      const own = waiting.splice(first);
      for (const { status, name } of own) waiting.push({ ...next, status, name: `${next.name} > ${name}` });
    }
    if (next.indent === 0 || waiting.length > maxWaiting) settleAll();
    return undefined;
  };

  const finish = () => {
    settleAll();
    return counts;
  };
  return { place, finish };
}
