import { readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { type BenchCase, type BenchResult, isWithinBudget } from './case.ts';

type Row = readonly string[];

const titles = ['What', 'Against', 'Floor min', 'Floor median', 'Min', 'Median', 'Above floor', 'Budget', ''];

/** A result as a row of the table. */
export function toRow(bench: BenchCase, result: BenchResult): Row {
  const { floor, subject } = result;
  const { budget, unit } = bench;
  const withUnit = (value: number) => `${value.toFixed(1)} ${unit}`.trimEnd();
  return [
    bench.name,
    bench.against,
    ...[floor.min, floor.median, subject.min, subject.median].map(withUnit),
    'plus' in budget
      ? `+${withUnit(subject.median - floor.median)}`
      : `${(subject.median / floor.median).toFixed(2)} x`,
    budgetOf(bench),
    isWithinBudget(bench, result) ? 'ok' : 'over',
  ];
}

function budgetOf({ budget, unit }: BenchCase): string {
  return 'plus' in budget ? `+${budget.plus} ${unit}`.trimEnd() : `${budget.times} x`;
}

/** The rows of every case: those measured now, and the others from the page. */
export async function rowsOnPage(page: string, all: readonly BenchCase[], measured: readonly Row[]) {
  const written = await readFile(page, 'utf8').catch(() => '');
  const earlier = written.split('\n').map((line) => line.split(/ +\| */).map((cell) => cell.replace(/^\| /, '')));
  const known = new Map([...earlier, ...measured].map((row) => [row[0], row]));
  return all.flatMap(({ name }) => {
    const row = known.get(name);
    return row === undefined ? [] : [row.slice(0, titles.length)];
  });
}

/** The rows as a table. */
export function toTable(rows: readonly Row[]): string {
  return tableOf([titles, ...rows]);
}

function tableOf(cells: readonly Row[]): string {
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0), 3));
  const lines = cells.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  return [lines[0], `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...lines.slice(1)].join('\n');
}

/** What explains the rows that are over their budgets. */
function explanationsFor(all: readonly BenchCase[], rows: readonly Row[]): string {
  const over = new Set(rows.filter((row) => row.at(-1) === 'over').map(([name]) => name));
  const lines = all.flatMap(({ name, note }) => (over.has(name) && note !== undefined ? [`- ${name}: ${note}`] : []));
  return lines.length === 0 ? '' : `\nWhat is over its budget, and why:\n\n${lines.join('\n')}\n`;
}

/** The whole page. */
export function toPage(all: readonly BenchCase[], rows: readonly Row[]): string {
  return `# Benchmarks

Written by \`npm run bench -- --write\`. Each case is measured against a floor in the same run, in turn, and its median is held against its budget.

${toTable(rows)}
${explanationsFor(all, rows)}
Measured with Node ${process.version} on ${os.type()} ${os.arch()}, ${os.availableParallelism()} cores.

## Other runners

\`node bench/compare.ts\` measures the time between two agents in ralphd, in a bare loop and in any other runner, in turn. A runner takes part through one file, which lays out a folder and says which command runs the agent there, so often and without a pause:

\`\`\`ts
import type { Contestant } from './bench/contestant.ts';

export const contestant: Contestant = {
  name: 'my runner',
  prepare: ({ agent, iterations }) => ['my-runner', '--times', String(iterations), '--', ...agent],
};
\`\`\`

\`node bench/compare.ts --with my-runner.ts\` takes it in; a file in [bench/contestants](../bench/contestants) always takes part. \`--rounds\`, \`--iterations\` and \`--agent-ms\` set how long it runs.
`;
}

/** The rows that the README shows. */
export function toHeadlines(all: readonly BenchCase[], rows: readonly Row[]): string {
  const byName = new Map(rows.map((row) => [row[0], row]));
  const shown = all.flatMap((bench) => {
    const { headline } = bench;
    const [, against = '', , floor = '', , median = '', above = ''] = byName.get(bench.name) ?? [];
    if (headline === undefined || median === '') return [];
    return [[headline, median, `${against}: ${floor}`, above, budgetOf(bench)]];
  });
  return tableOf([['', 'ralphd', 'compared with', 'that is', 'at most'], ...shown]);
}

const [begin, end] = ['<!-- bench: begin -->', '<!-- bench: end -->'];

/** Writes the rows between their marks in the README. */
export async function withHeadlines(file: string, table: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  const [before, after] = [text.indexOf(begin), text.indexOf(end)];
  if (before < 0 || after < before)
    throw new Error(`${file} has no place for results between "${begin}" and "${end}".`);
  await writeFile(file, `${text.slice(0, before + begin.length)}\n${table}\n${text.slice(after)}`);
}
