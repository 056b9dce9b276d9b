import type { Counts } from './report.ts';
import { createTally, type LineReader, sumOf, wordCounts } from './tally.ts';

/** Jest: `Test Suites:` and `Tests:` one below the other. Indented lines are the output of tests. */
export function createJestReader(): LineReader {
  const tally = createTally();
  let suites: { readonly at: number; readonly isPartial: boolean } | undefined;
  let pending: { readonly counts: Counts; readonly at: number; readonly isPartial: boolean } | undefined;
  let suite = '';
  let brokenSuites = new Set<string>();
  let named = new Set<string>();
  // Below the line of a suite a verbose run draws its tests as a tree, up to the next empty line.
  let tree: { readonly indent: number; readonly title: string }[] | undefined;
  let awaitsError = false;

  const commit = () => {
    if (pending === undefined) return;
    for (const broken of brokenSuites) tally.name('error', broken);
    tally.add({ ...pending.counts, failed: pending.counts.failed + brokenSuites.size }, pending.at);
    pending = undefined;
    brokenSuites = new Set();
    named = new Set();
  };

  return {
    read: (line, at) => {
      if (awaitsError && line.trim() !== '') explainFailure(line);
      if (line.startsWith('Test Suites: ')) {
        // While it runs on a terminal it prints "1 of 2 total", and redraws the same lines repeatedly.
        if (pending !== undefined && !pending.isPartial) commit();
        suites = /\d total$/.test(line) ? { at, isPartial: / of \d/.test(line) } : undefined;
      } else if (line.startsWith('Tests: ') && suites?.at === at - 1) {
        const counts = readJestTests(line);
        if (counts !== undefined) pending = { counts, at, isPartial: suites.isPartial };
      } else if (/^ ?(?:FAIL|PASS) {1,2}\S/.test(line)) {
        suite = suiteOf(line);
        tree = [];
      } else if (line.startsWith('  ● ')) nameFailure(line.slice(4));
      else if (tree !== undefined && line.startsWith('  ')) nameDrawn(line, tree);
      else if (line.startsWith('Ran all test suites')) commit();
      else if (line.startsWith('No tests found, exiting with code ')) tally.add({}, at);
      else tree = undefined;
    },
    finish: () => {
      commit();
      return tally.finish('jest');
    },
  };

  /** Failed tests are named where they are shown in full. */
  function nameDrawn(line: string, open: NonNullable<typeof tree>): void {
    const match = /^( +)(?:([✓√✕×]) |○ (?:skipped )?|✎ todo )?(.+?)(?: \((\d+) ?ms\))?$/.exec(line);
    if (match?.[1] === undefined || match[3] === undefined) return;
    const indent = match[1].length;
    const path = open.filter((outer) => outer.indent < indent);
    const title = match[3];
    const mark = line.charAt(indent);
    if (!'✓√✕×○✎'.includes(mark)) tree = path.length < 50 ? [...path, { indent, title }] : path;
    else if (mark !== '✕' && mark !== '×') {
      const durationMs = match[4] === undefined ? undefined : Number(match[4]);
      const name = [...path.map((outer) => outer.title), title].join(' › ');
      tally.name(mark === '✓' || mark === '√' ? 'passed' : 'skipped', name, { durationMs, file: suite });
    }
  }

  function nameFailure(title: string): void {
    if (title === 'Test suite failed to run') {
      if (brokenSuites.size < 500) brokenSuites.add(suite);
      return;
    }
    const key = `${suite}\n${title}`;
    if (/^(?:Console|Validation Warning|Deprecation Warning|Cannot log after)/.test(title) || named.has(key)) return;
    if (named.size < 1_000) named.add(key);
    tally.name('failed', title, { file: suite });
    awaitsError = true;
  }

  /** Below the title is the error, indented further. */
  function explainFailure(line: string): void {
    if (line.startsWith('    ')) tally.explain(line);
    awaitsError = false;
  }
}

function suiteOf(line: string): string {
  return line
    .trim()
    .slice(4)
    .trim()
    .replace(/ \([\d.]+ m?s\)$/, '');
}

/** The counts in the line `Tests: …`. */
export function readJestTests(line: string): Counts | undefined {
  const counts = wordCounts(line.slice('Tests:'.length), ', ');
  if (counts === undefined || !counts.has('total')) return undefined;
  const skipped = sumOf(counts, 'skipped', 'pending', 'todo');
  return { passed: sumOf(counts, 'passed'), failed: sumOf(counts, 'failed'), skipped };
}
