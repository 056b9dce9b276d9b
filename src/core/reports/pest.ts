import { createTally, type LineReader, sumOf, wordCounts } from './tally.ts';

/** Pest, and Laravel's `artisan test`: the counts are on the line above the duration. */
export function createPestReader(): LineReader {
  const tally = createTally();
  let isPest = false;
  let before = '';
  return {
    read: (line, at) => {
      if (/^ {2,3}(?:PASS|FAIL|WARN|TODO|INFO|FAILED) {2}\S/.test(line)) isPest = true;
      if (/^ {3}INFO {2}No tests found\.\s*$/.test(line)) tally.add({}, at);
      else if (isPest && /^ {2}(?:Duration: |Time: {2,})\d/.test(line)) settle(at);
      else nameFailure(line);
      before = line;
    },
    finish: () => tally.finish('pest'),
  };

  function settle(at: number): void {
    const summary = /^ {2}Tests: {2,}(\d.*?)(?: \(\d{1,9} assertions?\))?\s*$/.exec(before)?.[1];
    const counts = summary === undefined ? undefined : wordCounts(summary, ', ');
    if (counts === undefined) return;
    const skipped = sumOf(counts, 'skipped', 'incomplete', 'todo', 'todos', 'pending');
    // A test that passed with a remark has passed.
    const remarked = sumOf(counts, 'risky', 'deprecated', 'notice', 'notices', 'warning', 'warnings', 'warn');
    tally.add({ passed: sumOf(counts, 'passed') + remarked, failed: sumOf(counts, 'failed'), skipped }, at);
  }

  /** Since version 2 the type of the exception is to the right of the name. */
  function nameFailure(line: string): void {
    if (!isPest) return;
    const match = /^ {2}(?: FAILED {2}|• )(\S+ > \S.*?)(?: {2,}\S+)?\s*$/.exec(line);
    if (match?.[1] !== undefined) tally.name('failed', match[1]);
  }
}
