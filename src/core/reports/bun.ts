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
      else nameTest(line);
      block = new Map();
    },
    finish: () => tally.finish('bun'),
  };

  function settle(at: number): void {
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

/** Deno: `ok | 3 passed | 0 failed (71ms)` behind an empty line. */
export function createDenoReader(): LineReader {
  const tally = createTally();
  let before = '';
  let listsFailures = false;
  return {
    read: (line, at) => {
      if (before === '' && /^(?:ok|FAILED) \| \d/.test(line)) settle(line, at);
      else if (line === 'error: No test modules found') tally.add({}, at);
      else nameTest(line);
      if (line === ' FAILURES ') listsFailures = true;
      else if (line === '' && before !== ' FAILURES ') listsFailures = false;
      before = line;
    },
    finish: () => tally.finish('deno'),
  };

  function settle(line: string, at: number): void {
    const numberOf = (word: string) => groupNumber(new RegExp(`\\| (\\d{1,9}) ${word}\\b`).exec(line), 1);
    tally.add({ passed: numberOf('passed'), failed: numberOf('failed'), skipped: numberOf('ignored') }, at);
  }

  function nameTest(line: string): void {
    const failure = listsFailures ? /^(.+?) => \S+:\d+:\d+$/.exec(line)?.[1] : undefined;
    if (failure !== undefined) tally.name('failed', failure);
    if (!line.includes(' ... ')) return;
    const match = /^(\S.*) \.\.\. (ok|ignored) \([\d.]+\S{1,2}\)$/.exec(line);
    if (match?.[1] !== undefined) tally.name(match[2] === 'ok' ? 'passed' : 'skipped', match[1]);
  }
}
