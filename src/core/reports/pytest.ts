import type { Counts } from './report.ts';
import { createTally, type LineReader, maxDetails, sumOf, type Tally, wordCounts } from './tally.ts';

const words = new Set(
  [
    'passed,failed,error,errors,skipped,xfailed,xpassed,deselected,warning,warnings,rerun,reruns',
    'subtest passed,subtests passed,subtest failed,subtests failed,subtest skipped,subtests skipped',
  ].flatMap((list) => list.split(',')),
);

const sections = new Set(['FAILURES', 'ERRORS', 'PASSES', 'XPASSES', 'short test summary info']);

/** pytest: the last summary line of a session counts; tests printed those before it. */
export function createPytestReader(): LineReader {
  const tally = createTally();
  let pending: { readonly counts: Counts; readonly at: number } | undefined;
  // A bare line of counts is pytest's only if something else shows that pytest is running.
  let isAtWork = false;
  // With -q a session has no heading, and its last line has no rule around it.
  let isQuiet = false;
  let part: 'run' | 'failures' | 'summary' = 'run';
  let failedRun: string[] = [];
  const sugar = createSugarTotals();

  const commit = () => {
    if (pending === undefined) return;
    tally.add(pending.counts, pending.at);
    pending = undefined;
    // Without the short summary, only the lines of the run name what failed.
    for (const name of failedRun) if (!tally.hasFailing(name)) tally.name('failed', name);
    failedRun = [];
  };
  const open = (at: number, quiet: boolean) => {
    // The output of a test is shown again with its failure; a quiet session continues after that.
    if (isQuiet && part === 'failures') return tally.open(at);
    commit();
    if (tally.depth() === 0) isQuiet = quiet;
    tally.open(at);
    isAtWork = true;
    part = 'run';
    return undefined;
  };
  const sumUp = (counts: Counts, at: number) => {
    // The summary of a session within this one is ignored.
    if (tally.depth() > 1) tally.add(counts, at);
    else pending = { counts, at };
  };

  return {
    read: (line, at) => {
      const heading = /^=+ ([^=].*?) =+$/.exec(line)?.[1];
      if (heading === 'test session starts') return open(at, false);
      if (heading !== undefined && sections.has(heading)) {
        isAtWork = true;
        // If the session continues after a summary, that one was quoted, and the session itself has no heading.
        if (pending !== undefined) [pending, isQuiet] = [undefined, true];
        part = heading === 'short test summary info' ? 'summary' : 'failures';
        return undefined;
      }
      if (isProgress(line)) {
        if (pending !== undefined && part !== 'failures') commit();
        if (tally.depth() === 0 && part !== 'failures') open(at, true);
        return undefined;
      }
      const drawn = sugar(line);
      if (drawn === 'opens') return open(at, false);
      const counts = drawn ?? readPytestSummary(heading ?? line);
      const isBare = drawn === undefined && heading === undefined && !line.startsWith('no tests ran in ');
      // A session that opened with a rule also ends with one.
      if (counts !== undefined && (!isBare || (isAtWork && (tally.depth() === 0 || isQuiet)))) {
        sumUp(counts, at);
      } else if (part !== 'failures') nameTest(line);
      return undefined;
    },
    finish: () => {
      commit();
      return tally.finish('pytest');
    },
  };

  function nameTest(line: string): void {
    if (part === 'summary') return nameListed(line, tally);
    const [name, word] = runLine(line);
    if (name === undefined) return undefined;
    if (word !== 'FAILED' && word !== 'ERROR')
      return tally.name(word === 'PASSED' || word === 'XPASS' ? 'passed' : 'skipped', name, { file: fileOf(name) });
    if (failedRun.length < maxDetails) failedRun.push(name);
    return undefined;
  }
}

/** `FAILED a.py::test_b - assert 1 == 2` */
function nameListed(line: string, tally: Tally): void {
  const match = /^(FAILED|ERROR) (\S.*)$/.exec(line);
  if (match?.[2] === undefined) return;
  const end = endOfName(match[2]);
  const name = end < 0 ? match[2] : match[2].slice(0, end);
  const error = end < 0 ? undefined : match[2].slice(end + 3);
  tally.name(match[1] === 'ERROR' ? 'error' : 'failed', name, { error, file: fileOf(name) });
}

/** A line of a verbose run: the name of a test, and its result. */
function runLine(line: string): readonly [name?: string | undefined, word?: string | undefined] {
  const run = /^(?:\[gw\d+\] \[ *\d+%\] )?(\S+::.+?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)(?: .*)?$/.exec(line);
  const parallel = /^\[gw\d+\] \[ *\d+%\] (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (\S+::.+)$/.exec(line);
  return run === null ? [parallel?.[2], parallel?.[1]] : [run[1], run[2]];
}

function fileOf(name: string): string | undefined {
  return /^([^:]{1,200}\.py)(?:::|$)/.exec(name)?.[1];
}

/** After the name come a dash and the message; within the brackets of a parameter a dash may be part of the name. */
function endOfName(text: string): number {
  const bracket = text.indexOf('[');
  const end = text.indexOf(' - ');
  if (bracket < 0 || end < bracket) return end;
  const closed = text.indexOf('] - ', bracket);
  return closed < 0 ? (text.endsWith(']') ? -1 : end) : closed + 1;
}

/** A line of dots and letters with its share of the whole, as `pytest -q` prints them. */
function isProgress(line: string): boolean {
  return line.endsWith('%]') && /^(?:\S+\.py )?[.FEsxXR]+ +\[ *\d+%\]$/.test(line);
}

export function readPytestSummary(text: string): Counts | undefined {
  const end = text.lastIndexOf(' in ');
  if (end < 0 || !/^[\d.]+s(?:econds)?(?: \([\d:]+\))?$/.test(text.slice(end + 4).replace(' seconds', 's')))
    return undefined;
  const listed = text.slice(0, end);
  if (listed === 'no tests ran') return { passed: 0, failed: 0, skipped: 0 };
  const counts = wordCounts(listed, ', ');
  return counts === undefined || [...counts.keys()].some((word) => !words.has(word)) ? undefined : toCounts(counts);
}

/** On a terminal, the pytest-sugar plug-in has its own headings, and a line for each count. */
function createSugarTotals() {
  let isSugar = false;
  let totals: Map<string, number> | undefined;
  /** The counts so far; each line adds to those before. */
  return (line: string): 'opens' | Counts | undefined => {
    if (/^Test session starts \(platform: .*pytest-sugar /.test(line)) {
      isSugar = true;
      return 'opens';
    }
    if (isSugar && /^Results \([\d.]+s.*\):$/.test(line)) totals = new Map();
    const match = totals === undefined ? null : /^ {2,}(\d{1,9}) ([a-z]+)$/.exec(line);
    if (totals === undefined || match?.[2] === undefined || !words.has(match[2])) return undefined;
    totals.set(match[2], Number(match[1]));
    return toCounts(totals);
  };
}

function toCounts(counts: ReadonlyMap<string, number>): Counts {
  return {
    passed: sumOf(counts, 'passed', 'xpassed'),
    failed: sumOf(counts, 'failed', 'error', 'errors', 'subtest failed', 'subtests failed'),
    skipped: sumOf(counts, 'skipped', 'xfailed'),
  };
}
