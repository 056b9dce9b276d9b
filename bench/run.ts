import { glob, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type BenchCase, type BenchResult, measure } from './case.ts';

/*
 * Measures every case below bench/cases/ against its floor: `npm run bench`.
 *   npm run bench -- --write     also refresh docs/benchmarks.md
 *   npm run bench -- version     only cases whose name holds the word
 */
const root = path.dirname(import.meta.dirname);
const words = process.argv.slice(2).filter((word) => !word.startsWith('-'));

const results: BenchResult[] = [];
for (const bench of await findCases()) {
  if (words.length > 0 && !words.some((word) => bench.name.includes(word))) continue;
  results.push(await measure(bench));
}

const report = results.length === 0 ? 'No such case.' : toTable(results);
console.log(report);
if (process.argv.includes('--write')) await writeFile(path.join(root, 'docs/benchmarks.md'), toPage(report));
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

function toTable(rows: readonly BenchResult[]): string {
  const cells = [
    ['What', 'Against', 'Floor min', 'Floor median', 'Min', 'Median', 'Above floor', 'Budget', ''],
    ...rows.map(({ bench, floor, subject, withinBudget }) => [
      bench.name,
      bench.against,
      ...[floor.min, floor.median, subject.min, subject.median].map((value) => `${value.toFixed(1)} ${bench.unit}`),
      'plus' in bench.budget
        ? `+${(subject.min - floor.min).toFixed(1)} ${bench.unit}`
        : `${(subject.min / floor.min).toFixed(2)} x`,
      'plus' in bench.budget ? `+${bench.budget.plus} ${bench.unit}` : `${bench.budget.times} x`,
      withinBudget ? 'ok' : 'over',
    ]),
  ];
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0), 3));
  const lines = cells.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  return [lines[0], `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...lines.slice(1)].join('\n');
}

function toPage(measured: string): string {
  return `# Benchmarks

Written by \`npm run bench -- --write\`. Each case is measured against a floor in the same run, in turn, and held against its budget by the minimum, which is the least disturbed run.

${measured}

Measured with Node ${process.version} on ${os.type()} ${os.arch()}, ${os.availableParallelism()} cores.
`;
}
