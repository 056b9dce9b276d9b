import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type BenchCase, type BenchResult, isWithinBudget, measure } from './case.ts';
import { rowsOnPage, toHeadlines, toPage, toRow, toTable, withHeadlines } from './page.ts';
import { unfinishedRun } from './unfinished-run.ts';

/*
 * Measures every case in bench/cases/ against its floor: `npm run bench`.
 *   npm run bench -- --write      also update docs/benchmarks.md and the README
 *   npm run bench -- --continue   leave out what a run that did not finish has measured
 *   npm run bench -- --once       measure everything once, only to see that it works
 *   npm run bench -- version      only cases whose name contains the word; with --write the other rows stay
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean' }, continue: { type: 'boolean' }, once: { type: 'boolean' } },
});
const root = path.dirname(import.meta.dirname);
const page = path.join(root, 'docs/benchmarks.md');

// Each file of cases removes its own folder at the end.
process.setMaxListeners(0);
const all = await findCases();
const wanted = all.filter(({ name }) => positionals.length === 0 || positionals.some((word) => name.includes(word)));
const unfinished = unfinishedRun(path.join(root, 'node_modules/.cache/ralphd-bench.json'), values.continue === true);
const rows: (readonly string[])[] = [];
let failures = 0;
for (const [index, bench] of wanted.entries()) {
  const startedAt = performance.now();
  const result = unfinished.resultOf(bench.name) ?? (await tryToMeasure(bench));
  if (result === undefined) continue;
  unfinished.add(result);
  rows.push(toRow(bench, result));
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.error(`${index + 1} of ${wanted.length}, ${seconds} s: ${bench.name}: ${rows.at(-1)?.slice(-3).join(', ')}`);
  if (!isWithinBudget(bench, result)) failures += 1;
}

console.log(rows.length === 0 ? 'No such case.' : toTable(rows));
if (values.write === true) {
  const every = await rowsOnPage(page, all, rows);
  await writeFile(page, toPage(all, every));
  await withHeadlines(path.join(root, 'README.md'), toHeadlines(all, every));
}
if (wanted.length === rows.length) unfinished.finish();
if (failures > 0) process.exitCode = 1;

/** One that cannot be measured, for example because a tool is not installed, must not cost the results of the others. */
async function tryToMeasure(bench: BenchCase): Promise<BenchResult | undefined> {
  try {
    return await measure(bench, values.once);
  } catch (error) {
    console.error(`Could not measure ${bench.name}:`, error);
    failures += 1;
    return undefined;
  }
}

async function findCases(): Promise<readonly BenchCase[]> {
  const found: BenchCase[] = [];
  const folder = path.join(import.meta.dirname, 'cases');
  for (const file of readdirSync(folder).toSorted()) {
    const { cases } = (await import(path.join(folder, file))) as { cases: readonly BenchCase[] };
    found.push(...cases);
  }
  return found;
}
