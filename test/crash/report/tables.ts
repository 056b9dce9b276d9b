import type { RotRow } from '../harness/bit-rot.ts';
import type { SuiteRow } from '../harness/suite.ts';
import type { SweepTally } from '../harness/sweep.ts';
import { modelNames } from '../model/models.ts';
import type { Catch } from '../mutants/hunt.ts';

// A Markdown table; numbers are right-aligned.
function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.map(cellOf).join(' | ')} |`;
  const rule = head.map((_, at) => (typeof rows[0]?.[at] === 'number' ? '---:' : '---'));
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}

/** Crashes: one row for each scenario and place, one column for each disk model. */
export function crashTable(rows: readonly SuiteRow[]): string {
  const titles = [...new Set(rows.map(({ scenario, where }) => `${scenario}\n${where}`))];
  const lines = titles.map((title) => {
    const [scenario = '', where = ''] = title.split('\n');
    const ours = rows.filter((row) => row.scenario === scenario && row.where === where);
    return [
      scenario,
      where,
      ...modelNames.map((model) => statesOf(ours.filter((row) => row.model === model))),
      ...sums(ours),
    ];
  });
  const total = [
    'all',
    '',
    ...modelNames.map((model) => statesOf(rows.filter((row) => row.model === model))),
    ...sums(rows),
  ];
  const head = [
    'scenario',
    'crash',
    ...modelNames.map((model) => `states, ${model}`),
    'states',
    'distinct images',
    'violations',
  ];
  return table(head, [...lines, total]);
}

/** Planted bugs and what detected them. */
export function mutantTable(catches: readonly Catch[]): string {
  return table(
    ['planted bug', 'noticed by'],
    catches.map(({ bug, by }) => [bug, by ?? '**nobody**']),
  );
}

export function sweepTable(tallies: readonly SweepTally[]): string {
  const lines = tallies.map(({ scenario, calls, plays, violations }) => [scenario, calls, plays, violations.length]);
  const sum = (of: (tally: SweepTally) => number) => tallies.reduce((total, tally) => total + of(tally), 0);
  const total = [
    'all',
    sum((tally) => tally.calls),
    sum((tally) => tally.plays),
    sum((tally) => tally.violations.length),
  ];
  return table(['scenario', 'calls', 'times played', 'violations'], [...lines, total]);
}

export function rotTable(rows: readonly RotRow[]): string {
  const lines = rows.map(({ kind, ...row }) => [kind, ...numbersOf(row)]);
  const total = lines.reduce<number[]>(
    (sums, [, ...numbers]) => numbers.map((number, at) => Number(number) + (sums[at] ?? 0)),
    [],
  );
  const head = [
    'file',
    'bytes',
    'bits flipped',
    'other changes',
    'noticed',
    'no effect',
    'an earlier state',
    'violations',
  ];
  return table(head, [...lines, ['all', ...total]]);
}

/** The total number of states. */
export function statesOf(rows: readonly SuiteRow[]): number {
  return rows.reduce((sum, row) => sum + row.states, 0);
}

function sums(rows: readonly SuiteRow[]): readonly number[] {
  const images = rows.reduce((sum, row) => sum + row.images, 0);
  return [statesOf(rows), images, rows.reduce((sum, row) => sum + row.violations.length, 0)];
}

function numbersOf(row: Omit<RotRow, 'kind'>): readonly number[] {
  return [row.bytes, row.flips, row.others, row.detected, row.harmless, row.earlier, row.violations.length];
}

function cellOf(cell: string | number): string {
  return typeof cell === 'number' ? cell.toLocaleString('en-US') : cell;
}
