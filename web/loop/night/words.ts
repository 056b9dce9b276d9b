import type { NightBlock } from '../../../src/protocol/index.ts';
import { rowsOf, type ShownRow } from '../../../src/views/index.ts';
import type { ShownLoop } from '../../state/loop.ts';
import { dollars, money } from '../../words/amounts.ts';
import { signLooks } from '../../words/signs.ts';
import type { NightLayout } from './layout.ts';

/** What stands beside each track. */
export function trackTexts({ standing: { view, limits } }: ShownLoop, { points }: NightLayout) {
  const { spent, stats, maxIterations, tests } = view;
  const unreported = spent.unreportedCost ?? 0;
  const usd = spent.runs === 0 || unreported === spent.runs ? null : spent.costUsd;
  const cost = usd === null && spent.runs === 0 ? 'nothing yet' : money(usd, unreported);
  const [first, last] = [points[0], points.at(-1)];
  return {
    iterations: maxIterations === 0 ? String(stats.iterations) : `${stats.iterations} of ${maxIterations}`,
    tests:
      first === undefined || last === undefined
        ? ''
        : testsText({ first: first.failed, last: last.failed, total: tests?.total }),
    cost: limits.maxCostUsd === undefined ? cost : `${cost} of ${dollars(limits.maxCostUsd).replace(/\.00$/u, '')}`,
  };
}

function testsText({ first, last, total }: { first: number; last: number; total: number | undefined }): string {
  const change = first === last ? String(last) : `${first} → ${last}`;
  return total === undefined ? change : `${change} of ${total}`;
}

/** A block in words, for a reader of the screen. */
export function blockName(block: NightBlock | undefined, shown: ShownLoop): string {
  if (block === undefined) return '';
  const { first, last, sign } = block;
  const row = rowOfBlock(block, shown);
  if (first !== last) return `Iterations ${first} to ${last}, the worst: ${signLooks[sign].word}`;
  return `Iteration ${last}: ${row === undefined ? signLooks[sign].word : outcomeText(row)}`;
}

/** The row of a block that is one iteration. */
export function rowOfBlock({ first, last }: NightBlock, { history }: ShownLoop): ShownRow | undefined {
  return first === last ? rowsOf(history).findLast(({ iteration }) => iteration === last) : undefined;
}

/** What came of an iteration, with the change in failing tests. */
export function outcomeText(
  row: Pick<ShownRow, 'sign' | 'claimed' | 'verdict' | 'failedTests' | 'failedBefore'>,
): string {
  const { failedTests, failedBefore } = row;
  const word = outcomeWord(row);
  if (failedTests === undefined) return word;
  const fail =
    failedTests === 0 ? 'all tests pass' : `${failedTests} ${failedTests === 1 ? 'test fails' : 'tests fail'}`;
  const change = failedBefore === undefined ? 0 : failedTests - failedBefore;
  return `${word}: ${fail}${change === 0 ? '' : `, ${Math.abs(change)} ${change < 0 ? 'fewer' : 'more'}`}`;
}

/** What came of an iteration, in a few words. */
export function outcomeWord({ sign, claimed, verdict }: Pick<ShownRow, 'sign' | 'claimed' | 'verdict'>): string {
  if (sign === 'better' && claimed && verdict !== undefined && verdict !== 'passed') return 'claim refused, progress';
  return signLooks[sign].word;
}
