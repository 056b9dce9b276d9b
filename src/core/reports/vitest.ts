import type { Counts } from './report.ts';
import { countsOf, createTally, groupNumber, type LineReader, sumOf, wordCounts } from './tally.ts';

const retries = / \((?:initial run, )?(?:\d+(?:st|nd|rd|th) retry(?:, )?)+\)$/;

/** Vitest: `Test Files` and `Tests` one below the other; of several in one session the last counts. */
export function createVitestReader(): LineReader {
  const tally = createTally();
  let pending: { readonly counts: Counts; readonly at: number } | undefined;
  let filesAt = -2;
  let broken = 0;
  let unhandled = 0;
  let named = new Set<string>();
  let awaitsError = false;

  const commit = () => {
    if (pending === undefined) return;
    tally.add({ ...pending.counts, failed: pending.counts.failed + broken + unhandled }, pending.at);
    pending = undefined;
    broken = 0;
    unhandled = 0;
    named = new Set();
  };
  const sumUp = (counts: Counts, at: number) => {
    // The summary of a run within this one is ignored.
    if (tally.depth() > 1) tally.add(counts, at);
    else pending = { counts, at };
  };

  return {
    read: (line, at) => {
      if (awaitsError && line !== '' && !line.startsWith(' FAIL  ')) {
        if (!line.startsWith(' ')) tally.explain(line);
        awaitsError = false;
      }
      if (!line.startsWith(' ') && !line.startsWith('No test files')) return;
      if (/^ (?:RUN|DEV) {2}v\d/.test(line)) {
        commit();
        tally.open(at);
      } else if (/^ *Test Files {2}\S/.test(line)) filesAt = at;
      else if (filesAt === at - 1 && /^ *Tests {2,3}\S/.test(line)) {
        const counts = testsOf(line);
        if (counts !== undefined) sumUp(counts, at);
      } else if (pending?.at === at - 1) unhandled = groupNumber(/^ *Errors {2}(\d{1,9}) errors?$/.exec(line), 1);
      else if (/^No test files found, exiting with code \d/.test(line)) sumUp(testless, at);
      else nameTest(line);
    },
    finish: () => {
      commit();
      return tally.finish('vitest');
    },
  };

  function nameTest(line: string): void {
    if (line.startsWith(' FAIL  ')) return nameFailure(line.slice(7).trim().replace(retries, ''));
    const match = /^ +(✓|↓) (.+ > .+?)(?: (\d+)ms)?$/.exec(line);
    if (match?.[2] === undefined) return undefined;
    const durationMs = match[3] === undefined ? undefined : Number(match[3]);
    return tally.name(match[1] === '✓' ? 'passed' : 'skipped', match[2], { durationMs, file: fileOf(match[2]) });
  }

  /** A file that cannot be loaded is listed with its path in brackets; its tests are in no count. */
  function nameFailure(name: string): void {
    if (named.has(name) || name.startsWith('Tests failed. Watching ')) return;
    if (named.size < 1_000) named.add(name);
    if (tally.depth() > 1) return;
    const file = /^(.+) \[ .+ \]$/.exec(name)?.[1];
    if (file !== undefined) broken += 1;
    tally.name(file === undefined ? 'failed' : 'error', file ?? name, { file: fileOf(file ?? name) });
    awaitsError = true;
  }
}

/** A name begins with the file, or with the name of its project and then the file. */
function fileOf(name: string): string | undefined {
  return /^(?:\|[^|]{1,100}\| )?(\S{1,200}\.[cm]?[jt]sx?)(?: > |$)/.exec(name)?.[1];
}

const testless: Counts = { passed: 0, failed: 0, skipped: 0 };

function testsOf(line: string): Counts | undefined {
  const text = line.trim().slice('Tests'.length).trim();
  if (text === 'no tests') return testless;
  const total = /^(.*?) ?\((\d{1,9})\)$/.exec(text);
  if (total === null) return undefined;
  const counts = total[1] === '' ? new Map<string, number>() : wordCounts(total[1] ?? '', ' | ');
  if (counts === undefined) return undefined;
  const passed = sumOf(counts, 'passed', 'expected fail');
  const failed = sumOf(counts, 'failed');
  // Tests that never ran because their set-up failed may be in no other count.
  return countsOf(groupNumber(total, 2), { failed, skipped: Math.max(0, groupNumber(total, 2) - passed - failed) });
}
