import type { Counts } from './report.ts';
import { countsOf, createTally, groupNumber, type LineReader } from './tally.ts';

const none: Counts = { passed: 0, failed: 0, skipped: 0 };

const marks: Readonly<Record<string, 'passed' | 'failed' | 'skipped'>> = {
  '(pass)': 'passed',
  '✓': 'passed',
  '(fail)': 'failed',
  '✗': 'failed',
  '(skip)': 'skipped',
  '»': 'skipped',
  '(todo)': 'skipped',
  '✎': 'skipped',
};

/** Bun: a block of counts right above `Ran 3 tests across 1 file.` */
export function createBunReader(): LineReader {
  const tally = createTally();
  let isRunning = false;
  let file = '';
  let block = new Map<string, number>();
  let repeats = false;
  // If there are several summaries below one heading, tests printed all but the last.
  let pending: { readonly counts: Counts; readonly at: number } | undefined;
  let bailedOf: number | undefined;

  const commit = () => {
    if (pending !== undefined) tally.add(pending.counts, pending.at);
    pending = undefined;
  };

  return {
    read: (line, at) => {
      if (line.startsWith('bun test v')) {
        commit();
        isRunning = true;
        if (tally.depth() === 0) tally.open(at);
      }
      if (!isRunning) return;
      const count = /^ *(\d{1,9}) (pass|fail|skip|todo|error|filtered out|expect\(\) calls|snapshots)\b/.exec(line);
      if (count?.[2] !== undefined) {
        block.set(count[2], groupNumber(count, 1));
        return;
      }
      if (/^ ?snapshots: /.test(line)) return;
      const ran = /^Ran (\d{1,9}) tests? across \d{1,9} files?\./.exec(line);
      if (ran !== null && block.has('fail')) settle(at);
      else if (bailedOf !== undefined) bailOut(line, bailedOf, at);
      else if (line === 'No tests found!' || line.startsWith('The following filters did not match any test files'))
        pending = { counts: none, at };
      else if (line.startsWith('# Unhandled error between tests')) tally.name('error', file);
      else if (/^\S+\.[cm]?[jt]sx?:$/.test(line)) file = line.slice(0, -1).replace(/^::group::/, '');
      // At the end of a long run, the tests that did not pass are listed again.
      else if (/^\d{1,9} tests? (?:skipped|todo|failed):$/.test(line)) repeats = true;
      else if (!repeats) nameTest(line);
      bailedOf = ran === null || block.size > 0 ? undefined : groupNumber(ran, 1);
      block = new Map();
    },
    finish: () => {
      commit();
      return tally.finish('bun');
    },
  };

  /** With --bail it reports only how many ran, and on the next line how many of them failed. */
  function bailOut(line: string, total: number, at: number): void {
    const failed = groupNumber(/^Bailed out after (\d{1,9}) failures?$/.exec(line), 1);
    if (failed > 0) pending = { counts: countsOf(total, { failed }), at };
  }

  function settle(at: number): void {
    repeats = false;
    const numberOf = (word: string) => block.get(word) ?? 0;
    const failed = Math.max(numberOf('fail'), numberOf('error'));
    pending = { counts: { passed: numberOf('pass'), failed, skipped: numberOf('skip') + numberOf('todo') }, at };
  }

  function nameTest(line: string): void {
    const match = /^(\(pass\)|\(fail\)|\(skip\)|\(todo\)|✓|✗|»|✎) (.+?)(?: \[([\d.]+)ms\])?$/.exec(line);
    const status = marks[match?.[1] ?? ''];
    if (status === undefined || match?.[2] === undefined) return;
    tally.name(status, match[2], { durationMs: match[3] === undefined ? undefined : Number(match[3]), file });
  }
}
