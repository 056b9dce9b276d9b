import type { Counts } from './report.ts';
import { countsOf, createTally, groupNumber, type LineReader, numbersOf } from './tally.ts';

/** Mocha: `3 passing (5ms)` after an empty line, pending and failing counts below, then every failure in full. */
export function createMochaReader(): LineReader {
  const tally = createTally();
  let before = '';
  let open: { passed: number; skipped: number; failed: number; at: number } | undefined;
  let failures = 0;
  let path: string[] | undefined;
  // The failures quote whatever the tests have thrown, so nothing inside them is another report.
  let quotes: 'failures' | 'last' | 'stack' | undefined;

  const commit = () => {
    if (open === undefined) return;
    quotes = open.failed > 0 ? 'failures' : undefined;
    tally.add(open, open.at);
    failures = open.failed;
    open = undefined;
  };

  return {
    read: (line, at) => {
      const passing = /^ {2}(\d{1,9}) passing \([\d.]+(?:ms|s|m|h)\)$/.exec(line);
      if (passing !== null && before === '' && quotes === undefined) {
        // A summary that is still open lists no failures, so a test printed it.
        open = { passed: groupNumber(passing, 1), skipped: 0, failed: 0, at };
        path = undefined;
      } else if (open !== undefined) goOn(line, open);
      else if (!line.startsWith('  ')) path = undefined;
      else if (failures > 0) nameFailure(line);
      else nameRun(line);
      if (quotes !== undefined) quote(line, at);
      before = line;
    },
    finish: () => {
      commit();
      return tally.finish('mocha');
    },
  };

  function goOn(line: string, counts: NonNullable<typeof open>): void {
    const more = /^ {2}(\d{1,9}) (pending|failing)$/.exec(line);
    if (more?.[2] === 'pending') counts.skipped = groupNumber(more, 1);
    else if (more !== null) counts.failed = groupNumber(more, 1);
    // An empty line ends the counts.
    else if (counts.failed === 0 && line === '') commit();
    else if (/^ {2}1\) /.test(line)) {
      commit();
      nameFailure(line);
    } else if (line.trim() !== '') open = undefined; // Mocha always lists its failures, so this is a quotation.
  }

  /** The list of failures ends with two empty lines after the last stack. */
  function quote(line: string, at: number): void {
    tally.hold(at);
    if (quotes === 'failures' && failures === 0) quotes = 'last';
    else if (quotes === 'last' && /^ {6}at /.test(line)) quotes = 'stack';
    else if (quotes === 'stack' && line === '' && before === '') quotes = undefined;
  }

  /** `  1) suite`, then deeper and deeper the way to the test, whose line ends with a colon. */
  function nameFailure(line: string): void {
    const head = /^ {2}(\d{1,9}\)) (.*)$/.exec(line);
    if (head?.[2] !== undefined) path = [];
    else if (path === undefined || !/^ {7,}\S/.test(line) || path.length > 20) {
      path = undefined;
      return;
    }
    const title = head?.[2] ?? line.trim();
    path?.push(title.endsWith(':') ? title.slice(0, -1) : title);
    if (!title.endsWith(':') || path === undefined) return;
    tally.name('failed', path.join(' > '));
    failures -= 1;
    path = undefined;
  }

  function nameRun(line: string): void {
    const match = /^ {2,}(✔|✓|-) (.+?)(?: \((\d+)ms\))?$/.exec(line);
    if (match?.[2] === undefined) return;
    const durationMs = match[3] === undefined ? undefined : Number(match[3]);
    tally.name(match[1] === '-' ? 'skipped' : 'passed', match[2], { durationMs });
  }
}

/** Jasmine: `6 specs, 2 failures, 2 pending specs`, followed by how long it took; of several, the others are quoted. */
export function createJasmineReader(): LineReader {
  const tally = createTally();
  let summary: RegExpExecArray | null = null;
  let pending: { readonly counts: Counts; readonly at: number } | undefined;
  let title: string | undefined;
  let suiteErrors = 0;

  const commit = () => {
    if (pending !== undefined) tally.add(pending.counts, pending.at);
    pending = undefined;
  };

  return {
    read: (line, at) => {
      if (line === 'Started') {
        commit();
        if (tally.depth() === 0) tally.open(at);
      }
      if (summary !== null && /^Finished in [\d.]+ seconds?$/.test(line)) {
        if (tally.depth() === 0) commit();
        const [total = 0, failed = 0, skipped = 0] = numbersOf(summary, 3);
        // An error outside the specs of a suite is a failure, but not a spec.
        pending = { counts: { ...countsOf(total, { failed: failed - suiteErrors, skipped }), failed }, at };
        suiteErrors = 0;
      }
      if (line === 'Incomplete: No specs found') pending = { counts: { passed: 0, failed: 0, skipped: 0 }, at };
      if (line.startsWith('Ran in parallel with ')) return;
      summary = /^(\d{1,9}) specs?, (\d{1,9}) failures?(?:, (\d{1,9}) pending specs?)?$/.exec(line);
      if (line === '  Message:' && title !== undefined) {
        tally.name('failed', title);
        if (title.startsWith('Suite error: ')) suiteErrors += 1;
      }
      title = /^(?:\d{1,9}\) |(?=Suite error: ))(.+)$/.exec(line)?.[1];
    },
    finish: () => {
      commit();
      return tally.finish('jasmine');
    },
  };
}
