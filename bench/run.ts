import { glob, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type BenchCase, type BenchResult, measure } from './case.ts';

/*
 * Measures every case in bench/cases/ against its floor: `npm run bench`.
 *   npm run bench -- --write     also update docs/benchmarks.md
 *   npm run bench -- version     only cases whose name contains the word; with --write the other rows stay
 */
const root = path.dirname(import.meta.dirname);
const page = path.join(root, 'docs/benchmarks.md');
const titles = ['What', 'Against', 'Floor min', 'Floor median', 'Min', 'Median', 'Above floor', 'Budget', ''];
const words = process.argv.slice(2).filter((word) => !word.startsWith('-'));

// Each file of cases removes its own folder at the end.
process.setMaxListeners(0);
const all = await findCases();
const results: BenchResult[] = [];
for (const bench of all) {
  if (words.length > 0 && !words.some((word) => bench.name.includes(word))) continue;
  results.push(await measure(bench));
}

const rows = results.map(toRow);
console.log(rows.length === 0 ? 'No such case.' : toTable(rows));
if (process.argv.includes('--write')) {
  const every = await withEarlier(rows);
  await writeFile(page, toPage(toTable(every), explanationsFor(every)));
}
if (results.some((result) => !result.withinBudget)) process.exitCode = 1;

async function findCases(): Promise<readonly BenchCase[]> {
  const found: BenchCase[] = [];
  const folder = path.join(import.meta.dirname, 'cases');
  for await (const file of glob('*.ts', { cwd: folder })) {
    const { cases } = (await import(path.join(folder, file))) as { cases: readonly BenchCase[] };
    found.push(...cases);
  }
  return found;
}

function toRow({ bench, floor, subject, withinBudget }: BenchResult): readonly string[] {
  const above =
    'plus' in bench.budget
      ? `+${(subject.min - floor.min).toFixed(1)} ${bench.unit}`.trimEnd()
      : `${(subject.min / floor.min).toFixed(2)} x`;
  return [
    bench.name,
    bench.against,
    ...[floor.min, floor.median, subject.min, subject.median].map((value) =>
      `${value.toFixed(1)} ${bench.unit}`.trimEnd(),
    ),
    above,
    'plus' in bench.budget ? `+${bench.budget.plus} ${bench.unit}`.trimEnd() : `${bench.budget.times} x`,
    withinBudget ? 'ok' : 'over',
  ];
}

/** The rows of every case: those measured now, and the others from the page. */
async function withEarlier(measured: readonly (readonly string[])[]): Promise<readonly (readonly string[])[]> {
  const written = await readFile(page, 'utf8').catch(() => '');
  const earlier = written.split('\n').map((line) => line.split(/ +\| */).map((cell) => cell.replace(/^\| /, '')));
  const known = new Map([...earlier, ...measured].map((row) => [row[0], row]));
  return all.flatMap(({ name }) => {
    const row = known.get(name);
    return row === undefined ? [] : [row.slice(0, titles.length)];
  });
}

function toTable(measured: readonly (readonly string[])[]): string {
  const cells = [titles, ...measured];
  const widths = titles.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0), 3));
  const lines = cells.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  return [lines[0], `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...lines.slice(1)].join('\n');
}

/** What explains the rows that are over their budgets. */
function explanationsFor(measured: readonly (readonly string[])[]): string {
  const over = new Set(measured.filter((row) => row.at(-1) === 'over').map(([name]) => name));
  const lines = all.flatMap(({ name, note }) => (over.has(name) && note !== undefined ? [`- ${name}: ${note}`] : []));
  return lines.length === 0 ? '' : `\nWhat is over its budget, and why:\n\n${lines.join('\n')}\n`;
}

function toPage(measured: string, explanations: string): string {
  return `# Benchmarks

Written by \`npm run bench -- --write\`. Each case is measured against a floor in the same run, in turn, and held against its budget by the minimum, which is the least disturbed run.

${measured}
${explanations}
Measured with Node ${process.version} on ${os.type()} ${os.arch()}, ${os.availableParallelism()} cores.
`;
}
