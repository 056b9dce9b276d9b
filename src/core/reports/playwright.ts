import type { Counts } from './report.ts';
import { addCounts, createTally, groupNumber, type LineReader } from './tally.ts';

const words: Readonly<Record<string, keyof Counts>> = {
  failed: 'failed',
  interrupted: 'failed',
  // It failed, was tried again, and passed.
  flaky: 'passed',
  skipped: 'skipped',
  'did not run': 'skipped',
  passed: 'passed',
};

/** Playwright: it announces how many tests it will run, and ends with a line for each kind of result. */
export function createPlaywrightReader(): LineReader {
  const tally = createTally();
  let isRunning = false;
  let pending: { counts: Counts; failing: string[]; at: number } | undefined;
  let word = '';

  const commit = () => {
    if (pending === undefined) return;
    tally.add(pending.counts, pending.at);
    for (const name of pending.failing)
      tally.name('failed', name, { file: / › (\S{1,200}\.[cm]?[jt]sx?):\d/.exec(` › ${name}`)?.[1] });
    pending = undefined;
  };

  return {
    read: (line, at) => {
      if (/^Running \d{1,9} tests? using \d{1,9} workers?\b/.test(line)) {
        commit();
        tally.open(at);
        isRunning = true;
      } else if (isRunning && line.startsWith('  ')) readTotals(line, at);
      else word = '';
    },
    finish: () => {
      commit();
      return tally.finish('playwright');
    },
  };

  function readTotals(line: string, at: number): void {
    const match = /^ {2}(\d{1,9}) (failed|interrupted|flaky|skipped|did not run|passed)(?: \([\d.]+m?[smh]\))?$/.exec(
      line,
    );
    const status = words[match?.[2] ?? ''];
    if (match?.[2] === undefined || status === undefined) return nameFailure(line);
    // Anything above was printed by a test.
    if (word === '') pending = { counts: { passed: 0, failed: 0, skipped: 0 }, failing: [], at };
    word = match[2];
    if (pending === undefined) return undefined;
    pending.counts = addCounts(pending.counts, { [status]: groupNumber(match, 1) });
    pending.at = at;
    return undefined;
  }

  function nameFailure(line: string): void {
    const name = word === '' ? undefined : /^ {4}(\S.*?)[ ─]*$/.exec(line)?.[1];
    if (name === undefined) word = '';
    else if (words[word] === 'failed' && pending !== undefined && pending.failing.length < 500)
      pending.failing.push(name);
  }
}
