import type { Check, FactData, TestCounts } from '../../../src/protocol/index.ts';
import { type Invariant, on } from './invariant.ts';
import type { Ledger } from './ledger.ts';

/** How an iteration is rated: numbers in order of precedence, higher is better. */
export interface Mark {
  readonly iteration: number;
  readonly marks: readonly number[];
}

export interface CheckReport {
  readonly checks: readonly Pick<Check, 'verdict'>[];
  readonly tests?: TestCounts | undefined;
  readonly tampered?: readonly string[] | undefined;
}

/** No iteration is better than the best iteration, and its rating agrees with its facts. */
export const bestInvariants: readonly Invariant[] = [
  on('iteration.finished', 'R26: the best iteration is never worse than any other', (ledger, data, { after }) => {
    const mark = markOf(ledger, data);
    const all = mark === undefined ? ledger.marks : [...ledger.marks, mark];
    const chosen = all.find(({ iteration }) => iteration === after.progress.best?.iteration);
    if (chosen === undefined) return all.length > 0 && `${after.progress.best?.iteration ?? 'none'} is the best`;
    const better = all.find((other) => compare(other, chosen) > 0);
    if (better !== undefined) return `${chosen.iteration} is the best, but ${better.iteration} was better`;
    const earlier = all.find((other) => other.iteration < chosen.iteration && compare(other, chosen) === 0);
    return earlier !== undefined && `${chosen.iteration} only repeats ${earlier.iteration}`;
  }),
  on('iteration.finished', 'R26: an iteration is called proven exactly when its gate passed', ({ open }, data) => {
    if (data.status === 'skipped') return data.quality !== undefined && 'one that was given up is judged';
    const { proof } = data.quality ?? {};
    return (proof === 'passed') !== (open?.gate === 'passed') && `${proof ?? 'nothing'} for ${open?.gate ?? 'no gate'}`;
  }),
];

/** Records the rating of an iteration. */
export function enterMark(ledger: Ledger, data: FactData<'iteration.finished'>): void {
  const mark = markOf(ledger, data);
  if (mark !== undefined) ledger.marks.push(mark);
}

function markOf(ledger: Ledger, data: FactData<'iteration.finished'>): Mark | undefined {
  if (data.status === 'skipped') return undefined;
  const { open, baseline } = ledger;
  const changes = open?.run?.changes;
  const moved = changes?.known === true && (changes.count > 0 || changes.headMoved);
  const size = changes?.known === false ? [1, 0] : moved ? [2, -(changes?.count ?? 0)] : [0, 0];
  const measured = measure(open?.report, data.quality?.tests?.flaky ?? 0);
  const isProven = open?.gate === 'passed';
  const level = isProven ? 4 : levelOf(open?.report, measured, baseline && measure(baseline, 0));
  const known = level === 0 || level === 2 ? [0, 0, 0] : (measured ?? [0, 0, 0]);
  return { iteration: data.iteration, marks: [level, ...known, data.status === 'completed' ? 1 : 0, ...size] };
}

function levelOf(
  report: CheckReport | undefined,
  measured: readonly number[] | undefined,
  start: readonly number[] | undefined,
): number {
  if (report?.tampered !== undefined) return 0;
  if (report === undefined || measured === undefined) return 2;
  const [checks = 0, tests = 0] = measured;
  const isWorse = start !== undefined && order(measured, start) < 0;
  return isWorse || checks + tests === 0 ? 1 : 3;
}

function measure(report: CheckReport | undefined, flaky: number): readonly number[] | undefined {
  if (report === undefined || report.checks.every(({ verdict }) => verdict === 'unverifiable')) return undefined;
  const { passed = 0, failed = 0 } = report.tests ?? {};
  return [report.checks.filter(({ verdict }) => verdict === 'passed').length, passed + flaky, flaky - failed];
}

function compare(one: Mark, other: Mark): number {
  return order(one.marks, other.marks);
}

function order(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at === -1 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}
