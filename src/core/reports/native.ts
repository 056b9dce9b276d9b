import type { Counts } from './report.ts';
import { addCounts, createTally, groupNumber, type LineReader } from './tally.ts';

const none: Counts = { passed: 0, failed: 0, skipped: 0 };
const suiteFailed = ': SetUpTestSuite or TearDownTestSuite';

/** GoogleTest: how many ran, then how many passed and were skipped; the others failed. */
export function createGtestReader(): LineReader {
  const tally = createTally();
  let open: { readonly total: number; passed?: number; skipped: number; at: number } | undefined;
  let isOver = false;
  let counted: Counts = none;

  const commit = () => {
    if (open?.passed !== undefined) {
      const { total, passed, skipped, at } = open;
      tally.add({ passed, skipped, failed: Math.max(0, total - passed - skipped) }, at);
      isOver = true;
    }
    open = undefined;
  };

  return {
    read: (line, at) => {
      const ran = /^\[={10}\] (\d{1,9}) tests? from \d{1,9} test (?:suites?|cases?) ran\./.exec(line);
      if (/^\[={10}\] Running \d{1,9} tests? from /.test(line)) {
        tally.open(at);
        counted = none;
        isOver = false;
      } else if (ran !== null) open = { total: groupNumber(ran, 1), skipped: 0, at };
      else if (open !== undefined) readTotals(line, at, open);
      else nameTest(line);
      if (isOver) nameListed(line, at);
    },
    finish: () => {
      commit();
      // The binary died: the failures up to then are still reported.
      if (!isOver && tally.depth() > 0 && counted.failed > 0) tally.add(counted, 0);
      return tally.finish('gtest');
    },
  };

  /** At the end, failures are listed again, including those that no line of the run names. */
  function nameListed(line: string, at: number): void {
    if (line.endsWith(suiteFailed)) return breakSuite(line, at);
    const name = /^\[ {2}FAILED {2}\] ([^\s,]+)(?:, where .*)?$/.exec(line)?.[1];
    if (name !== undefined && !tally.hasFailing(name)) tally.name('failed', name);
    return undefined;
  }

  /** A failed set-up or tear-down of a whole suite is a failure but not a test. */
  function breakSuite(line: string, at: number): void {
    tally.add({ failed: 1 }, at);
    tally.name('error', line.slice('[  FAILED  ] '.length, -suiteFailed.length));
  }

  function readTotals(line: string, at: number, totals: NonNullable<typeof open>): void {
    const match = /^\[ {2}(PASSED|SKIPPED) {1,2}\] (\d{1,9}) tests?(?:\.|, listed below:)$/.exec(line);
    if (match?.[1] === 'PASSED') totals.passed = groupNumber(match, 2);
    else if (match?.[1] === 'SKIPPED') totals.skipped = groupNumber(match, 2);
    else if (!line.startsWith('[  SKIPPED ]')) return commit();
    totals.at = at;
    return undefined;
  }

  function nameTest(line: string): void {
    if (!line.endsWith(' ms)')) return;
    const match = /\[ {2}(?: {5}OK|FAILED {1,2}|SKIPPED) \] (\S+?)(?:, where .*)? \((\d{1,12}) ms\)$/.exec(
      line.slice(-600),
    );
    if (match?.[1] === undefined) return;
    const durationMs = groupNumber(match, 2);
    const isSkipped = match[0].includes('SKIPPED');
    const status = match[0].includes('[  FAILED') ? 'failed' : isSkipped ? 'skipped' : 'passed';
    counted = addCounts(counted, { [status]: 1 });
    tally.name(status, match[1], { durationMs });
  }
}

/** CTest: it counts skipped tests as passed, and leaves out disabled ones. */
export function createCtestReader(): LineReader {
  const tally = createTally();
  let skipped = 0;
  let disabled = 0;
  let summary: RegExpExecArray | null = null;
  let listsFailures = false;

  // A failed test may have printed such a line, too: the last before the total time is the runner's own.
  const commit = (at: number) => {
    if (summary === null) return;
    const failed = groupNumber(summary, 1);
    const passed = Math.max(0, groupNumber(summary, 2) - failed - skipped);
    tally.add({ passed, failed, skipped: skipped + disabled }, at);
    summary = null;
    skipped = 0;
    disabled = 0;
  };

  return {
    read: (line, at) => {
      const found = /^\d{1,3}% tests passed, (\d{1,9}) tests? failed out of (\d{1,9})$/.exec(line);
      if (/^Test project (?:\/|[A-Za-z]:[\\/])/.test(line)) tally.open(at);
      else if (found !== null) summary = found;
      else if (line.startsWith('Total Test time (real) =')) commit(at);
      else if (line === 'No tests were found!!!') tally.add({}, at);
      else if (line.includes(' Test ')) nameTest(line);
      else if (listsFailures) nameListed(line);
      listsFailures = line === 'The following tests FAILED:' || (listsFailures && line.startsWith('\t'));
    },
    finish: () => tally.finish('ctest'),
  };

  /** In the run, the reason for a failure may span several lines; here it is on one. */
  function nameListed(line: string): void {
    const match = /^\t *\d{1,9} - (.+?) \(([A-Z][\w :]*)\)(?: {2,}\S.*)?\s*$/.exec(line);
    if (match?.[1] !== undefined && !tally.hasFailing(match[1])) tally.name('failed', match[1], { error: match[2] });
  }

  function nameTest(line: string): void {
    const match = /^ *\d{1,9}\/\d{1,9} Test +#\d{1,9}: (.+?) \.*(?:( +Passed)|\*\*\*([A-Z].*?)) +([\d.]+) sec\s*$/.exec(
      line,
    );
    if (match?.[1] === undefined) return;
    const durationMs = Math.round(Number(match[4]) * 1_000);
    const verdict = match[3] ?? 'Passed';
    if (verdict === 'Passed') tally.name('passed', match[1], { durationMs });
    else if (verdict === 'Skipped' || verdict.includes('Disabled')) {
      if (verdict === 'Skipped') skipped += 1;
      else disabled += 1;
      tally.name('skipped', match[1]);
    } else tally.name('failed', match[1], { durationMs, error: verdict });
  }
}
