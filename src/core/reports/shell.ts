import type { Counts } from './report.ts';
import { countsOf, createTally, groupNumber, type LineReader, numbersOf, sumOf, wordCounts } from './tally.ts';

/** Bats on a terminal: a mark before each name, and one line of counts after an empty one. */
export function createBatsReader(): LineReader {
  const tally = createTally();
  let marks = 0;
  let before = '';
  return {
    read: (line, at) => {
      const summary =
        before === '' && marks > 0
          ? /^(\d{1,9}) tests?, (\d{1,9}) failures?(?:, (\d{1,9}) skipped)?(?:, (\d{1,9}) timed out)?(?:, (\d{1,9}) not run)?(?: in \d+ seconds?)?$/.exec(
              line,
            )
          : null;
      if (summary !== null) {
        const [total = 0, failures = 0, skipped = 0, late = 0, left = 0] = numbersOf(summary, 5);
        tally.add(countsOf(total, { failed: failures + late, skipped: skipped + left }), at);
      }
      // The line was drawn twice, first with the progress of the run.
      const match = /[✓✗-] /.test(line)
        ? /(?:^|\d\/\d{1,9}(?: in \d+ sec)?) (✓|✗|-) (.+?)(?: \[\d*\])?$/.exec(line)
        : null;
      if (match?.[2] !== undefined) {
        marks += 1;
        const skipped = / \(skipped(?:: .*)?\)$/.exec(match[2]);
        if (match[1] === '✓') tally.name('passed', match[2]);
        else if (match[1] === '✗') tally.name('failed', match[2]);
        else if (skipped !== null) tally.name('skipped', match[2].slice(0, skipped.index));
      }
      before = line;
    },
    finish: () => tally.finish('bats'),
  };
}

/** prove: how many ran, and below `Test Summary Report` the files in which some failed. */
export function createProveReader(): LineReader {
  const tally = createTally();
  let total: { readonly tests: number; readonly at: number } | undefined;
  let files: BrokenFile[] = [];
  let names: string[] = [];
  let skipped = 0;
  return {
    read: (line, at) => {
      const ran = /^Files=\d{1,9}, Tests=(\d{1,9}), /.exec(line);
      const file = brokenFile(line);
      const name = /^# +Failed test '(.+)'$/.exec(line)?.[1];
      if (ran !== null) total = { tests: groupNumber(ran, 1), at };
      else if (total !== undefined) {
        if (total.at === at - 1 && /^Result: (?:PASS|FAIL|NOTESTS)$/.test(line)) settle(total.tests, at);
        total = undefined;
      } else if (file !== undefined) files.push(file);
      else if (name !== undefined && names.length < 500) names.push(name);
      else readFile(line);
    },
    finish: () => tally.finish('prove'),
  };

  function readFile(line: string): void {
    skipped += groupNumber(/^\t\(less (\d{1,9}) skipped subtests?: \d{1,9} okay\)$/.exec(line), 1);
    const numbers = /^ {2}Failed tests?: +([\d, -]+)$/.exec(line)?.[1];
    const last = files.at(-1);
    if (last === undefined) return;
    if (numbers !== undefined) last.numbers = numbers.trim();
    if (/^ {2}(?:Parse errors|Non-zero (?:exit|wait) status): /.test(line)) last.brokeOff = true;
  }

  /** A file without a failed test is in the report because it broke off, or because one of its to-dos passed. */
  function settle(tests: number, at: number): void {
    const failed = files.reduce((sum, file) => sum + file.failed, 0);
    const broken = files.filter((file) => file.failed === 0 && file.brokeOff);
    const counts = countsOf(tests, { failed, skipped });
    tally.add({ ...counts, failed: failed + broken.length }, at);
    for (const { name } of broken) tally.name('error', name);
    if (names.length === failed) for (const name of names) tally.name('failed', name);
    else for (const { name, numbers } of files) if (numbers !== '') tally.name('failed', `${name} ${numbers}`);
    files = [];
    names = [];
    skipped = 0;
  }
}

interface BrokenFile {
  readonly name: string;
  readonly failed: number;
  numbers: string;
  brokeOff: boolean;
}

/** `t/calc.t (Wstat: 512 (exited 2) Tests: 6 Failed: 2)` */
function brokenFile(line: string): BrokenFile | undefined {
  const end = line.indexOf(' (Wstat: ');
  const match = end <= 0 ? null : / Tests: \d{1,9} Failed: (\d{1,9})\)$/.exec(line.slice(end));
  if (match === null) return undefined;
  return { name: line.slice(0, end).trim(), failed: groupNumber(match, 1), numbers: '', brokeOff: false };
}

const kinds = ['test', 'tests', 'doctest', 'doctests', 'property', 'properties', 'feature', 'features'];

/** ExUnit: the counts are right below `Finished in …`, or below the slowest tests, if those were requested. */
export function createExunitReader(): LineReader {
  const tally = createTally();
  let before = '';
  let part: 'run' | 'finished' | 'slowest' = 'run';
  // If there are several summaries in one session, tests printed all but the last.
  let pending: { readonly counts: Counts; readonly at: number } | undefined;

  const commit = () => {
    if (pending !== undefined) tally.add(pending.counts, pending.at);
    pending = undefined;
  };

  return {
    read: (line, at) => {
      if (/^(?:Running ExUnit with seed: |Randomized with seed |==> )/.test(line)) commit();
      const isDue = part === 'finished' ? before !== '' : part === 'slowest' && before === '';
      const counts = isDue ? wordCounts(line.replace(/ \((\d{1,9} excluded)\)$/, ', $1'), ', ') : undefined;
      const isExunit = counts !== undefined && kinds.some((kind) => counts.has(kind)) && /\d failures?\b/.test(line);
      if (isExunit) {
        const failed = sumOf(counts, 'failure', 'failures', 'invalid');
        const left = sumOf(counts, 'skipped', 'excluded');
        pending = { counts: countsOf(sumOf(counts, ...kinds), { failed, skipped: left }), at };
        part = 'run';
      } else if (/^Finished in [\d.]+ seconds/.test(line)) part = 'finished';
      else if (part === 'finished' && /^Top \d{1,9} slowest /.test(line)) part = 'slowest';
      else if (part === 'finished' && line !== '') part = 'run';
      else if (line === 'There are no tests to run') tally.add({}, at);
      const name = /^ {2}\d{1,9}\) ((?:test|doctest|property|feature) .+ \([\w.]+\))$/.exec(line)?.[1];
      if (name !== undefined) tally.name('failed', name);
      const unready = /^ {2}\d{1,9}\) ([\w.]+): failure on setup_all callback\b/.exec(line)?.[1];
      if (unready !== undefined) tally.name('error', `${unready} (setup_all)`);
      before = line;
    },
    finish: () => {
      commit();
      return tally.finish('exunit');
    },
  };
}
