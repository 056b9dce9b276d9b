import { countsOf, createTally, groupNumber, type LineReader, sumOf, wordCounts } from './tally.ts';

const rule = '='.repeat(79);
const dashes = '-'.repeat(79);

/** Catch2: below a double rule the counts of test cases, or a line that all of them passed. */
export function createCatchReader(): LineReader {
  const tally = createTally();
  let before = '';
  let title: string | undefined;
  let failing = new Set<string>();
  return {
    read: (line, at) => {
      if (before === rule) {
        const all = /^All tests passed \(.*\bin (\d{1,9}) test cases?\)$/.exec(line);
        if (all !== null) tally.add({ passed: groupNumber(all, 1) }, at);
        if (line.startsWith('test cases: ')) sumUp(line.slice('test cases: '.length), at);
        if (line === 'No tests ran') tally.add({}, at);
      }
      if (before === dashes && line !== '' && !line.startsWith('-')) title = line;
      if (line.endsWith(': FAILED:') && title !== undefined && failing.size < 500) failing.add(title);
      before = line;
    },
    finish: () => tally.finish('catch2'),
  };

  /** A case that is allowed to fail is shown like any other: names are kept only if their number matches the count. */
  function sumUp(text: string, at: number): void {
    const match = /^ *(\d{1,9}) \| (.+)$/.exec(text);
    const listed = wordCounts(match?.[2] ?? '', '|');
    if (listed === undefined) return;
    const total = groupNumber(match, 1);
    const failed = sumOf(listed, 'failed');
    const skipped = sumOf(listed, 'skipped', 'failed as expected');
    tally.add(countsOf(total, { failed, skipped }), at);
    if (failing.size === failed) for (const name of failing) tally.name('failed', name);
    failing = new Set();
  }
}

/** doctest: one line of counts, with its own mark before it. */
export function createDoctestReader(): LineReader {
  const tally = createTally();
  let title: string | undefined;
  let failing = new Set<string>();
  return {
    read: (line, at) => {
      title = /^TEST CASE: {2}(.+)$/.exec(line)?.[1] ?? title;
      if (/: (?:FATAL )?ERROR: /.test(line) && title !== undefined && failing.size < 500) failing.add(title);
      const match =
        /^\[doctest\] test cases: +(\d{1,9}) \| +(\d{1,9}) passed \| +(\d{1,9}) failed \|(?: +(\d{1,9}) skipped)?$/.exec(
          line,
        );
      if (match === null) return;
      tally.add({ passed: groupNumber(match, 2), failed: groupNumber(match, 3), skipped: groupNumber(match, 4) }, at);
      for (const name of failing) tally.name('failed', name);
      failing = new Set();
    },
    finish: () => tally.finish('doctest'),
  };
}
