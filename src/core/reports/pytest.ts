import type { Counts } from './report.ts';
import { createTally, type LineReader, sumOf, wordCounts } from './tally.ts';

const words = new Set(
  [
    'passed,failed,error,errors,skipped,xfailed,xpassed,deselected,warning,warnings,rerun,reruns',
    'subtest passed,subtests passed,subtest failed,subtests failed,subtest skipped,subtests skipped',
  ].flatMap((list) => list.split(',')),
);

/** pytest: the last line of a session counts; those before it are what tests have printed. */
export function createPytestReader(): LineReader {
  const tally = createTally();
  let pending: { readonly counts: Counts; readonly at: number } | undefined;
  // A bare line of counts is pytest's only where something else shows that pytest is at work.
  let isAtWork = false;
  let part: 'run' | 'failures' | 'summary' = 'run';

  const commit = () => {
    if (pending !== undefined) tally.add(pending.counts, pending.at);
    pending = undefined;
  };
  const open = () => {
    commit();
    isAtWork = true;
    part = 'run';
  };

  return {
    read: (line, at) => {
      const heading = /^=+ ([^=].*?) =+$/.exec(line)?.[1];
      if (heading === 'test session starts') return open();
      if (heading === 'FAILURES' || heading === 'ERRORS' || heading === 'short test summary info') {
        isAtWork = true;
        part = heading === 'short test summary info' ? 'summary' : 'failures';
        return undefined;
      }
      if (isProgress(line)) {
        if (pending !== undefined && part !== 'failures') open();
        isAtWork = true;
        return undefined;
      }
      const counts = summaryOf(heading ?? line);
      if (counts !== undefined && (heading !== undefined || isAtWork || line.startsWith('no tests ran in '))) {
        pending = { counts, at };
      } else if (part !== 'failures') nameTest(line);
      return undefined;
    },
    finish: () => {
      commit();
      return tally.finish('pytest');
    },
  };

  function nameTest(line: string): void {
    if (part === 'summary') {
      const match = /^(FAILED|ERROR) (\S.*)$/.exec(line);
      if (match?.[2] === undefined) return;
      const end = match[2].indexOf(' - ');
      const name = end < 0 ? match[2] : match[2].slice(0, end);
      const error = end < 0 ? undefined : match[2].slice(end + 3);
      tally.name(match[1] === 'ERROR' ? 'error' : 'failed', name, { error });
      return;
    }
    const run = /^(?:\[gw\d+\] \[ *\d+%\] )?(\S+::.+?) (PASSED|SKIPPED|XFAIL|XPASS)(?: .*)?$/.exec(line);
    const parallel = /^\[gw\d+\] \[ *\d+%\] (PASSED|SKIPPED|XFAIL|XPASS) (\S+::.+)$/.exec(line);
    const [name, word] = run === null ? [parallel?.[2], parallel?.[1]] : [run[1], run[2]];
    if (name === undefined) return;
    tally.name(word === 'PASSED' || word === 'XPASS' ? 'passed' : 'skipped', name);
  }
}

/** A line of dots and letters with its share of the whole, as `pytest -q` prints them. */
function isProgress(line: string): boolean {
  return line.endsWith('%]') && /^(?:\S+\.py )?[.FEsxXR]+ +\[ *\d+%\]$/.test(line);
}

function summaryOf(text: string): Counts | undefined {
  const end = text.lastIndexOf(' in ');
  if (end < 0 || !/^[\d.]+s(?:econds)?(?: \([\d:]+\))?$/.test(text.slice(end + 4).replace(' seconds', 's')))
    return undefined;
  const listed = text.slice(0, end);
  if (listed === 'no tests ran') return { passed: 0, failed: 0, skipped: 0 };
  const counts = wordCounts(listed, ', ');
  if (counts === undefined || [...counts.keys()].some((word) => !words.has(word))) return undefined;
  return {
    passed: sumOf(counts, 'passed', 'xpassed'),
    failed: sumOf(counts, 'failed', 'error', 'errors', 'subtest failed', 'subtests failed'),
    skipped: sumOf(counts, 'skipped', 'xfailed'),
  };
}
