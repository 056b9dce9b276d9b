import { createTally, groupNumber, type LineReader } from './tally.ts';

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
  return {
    read: (line, at) => {
      if (line.startsWith('bun test v')) {
        isRunning = true;
        if (tally.depth() === 0) tally.open(at);
      }
      if (!isRunning) return;
      const count = /^ *(\d{1,9}) (pass|fail|skip|todo|error|filtered out|expect\(\) calls|snapshots)\b/.exec(line);
      if (count?.[2] !== undefined) {
        block.set(count[2], groupNumber(count, 1));
        return;
      }
      if (/^Ran \d+ tests? across \d+ files?\./.test(line) && block.has('fail')) settle(at);
      else if (line === 'No tests found!') tally.add({}, at);
      else if (line.startsWith('# Unhandled error between tests')) tally.name('error', file);
      else if (/^\S+\.[cm]?[jt]sx?:$/.test(line)) file = line.slice(0, -1);
      // At the end of a long run, what did not pass is listed once more.
      else if (/^\d{1,9} tests? (?:skipped|todo|failed):$/.test(line)) repeats = true;
      else if (!repeats) nameTest(line);
      block = new Map();
    },
    finish: () => tally.finish('bun'),
  };

  function settle(at: number): void {
    repeats = false;
    const numberOf = (word: string) => block.get(word) ?? 0;
    const failed = Math.max(numberOf('fail'), numberOf('error'));
    tally.add({ passed: numberOf('pass'), failed, skipped: numberOf('skip') + numberOf('todo') }, at);
  }

  function nameTest(line: string): void {
    const match = /^(\(pass\)|\(fail\)|\(skip\)|\(todo\)|✓|✗|»|✎) (.+?)(?: \[([\d.]+)ms\])?$/.exec(line);
    const status = marks[match?.[1] ?? ''];
    if (status === undefined || match?.[2] === undefined) return;
    tally.name(status, match[2], { durationMs: match[3] === undefined ? undefined : Number(match[3]) });
  }
}
