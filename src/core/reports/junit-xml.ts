import { type JunitCase, judgeCase, openCase } from './junit-case.ts';
import type { Counts } from './report.ts';
import { addCounts, createTally, type LineReader } from './tally.ts';
import { createTagScanner } from './xml-tags.ts';

const startsReport = /^\s*(?:<\?xml [^>]{0,200}\?>\s*)?<testsuites?\b/;
const startsDocument = /^\s*(?:<\?xml |<testsuites\b)/;
const none: Counts = { passed: 0, failed: 0, skipped: 0 };

/** JUnit XML in any dialect: each test case is counted, and the totals in the attributes of suites are ignored. */
export function createJunitReader(): LineReader {
  const tally = createTally();
  // How many suites are open within each other; the outermost is the report.
  let depth = 0;
  let counts: Counts = none;
  let tags = createTagScanner();
  let current: JunitCase | undefined;
  let suite = '';

  return {
    read: (line, at) => {
      if (depth === 0 && !startsReport.test(line)) return;
      if (depth === 0 || (!tags.isQuoting() && startsDocument.test(line))) startOver();
      tags.scan(line, (tag) => take(tag, at));
    },
    finish: () => {
      // A document that breaks off still names the tests that failed.
      if (depth > 0 && counts.failed > 0) tally.add(counts, 0);
      return tally.finish('junit');
    },
  };

  /** A document that is still open was never finished, and is dropped. */
  function startOver(): void {
    tags = createTagScanner();
    depth = 0;
    counts = none;
    current = undefined;
  }

  function take(text: string, at: number): void {
    const name = /^\/?[\w:.-]+/.exec(text)?.[0] ?? '';
    if (name === 'testsuites' || name === 'testsuite') openSuite(text, at);
    else if (name === '/testsuites' || name === '/testsuite') closeSuite(at);
    else if (depth === 0) return;
    else if (name === '/testcase') settle();
    else if (name === 'testcase') begin(text);
    else if (current !== undefined) judgeCase(current, name, text);
    else if (name === 'error' || name === 'failure') breakSuite(text);
  }

  /** An error outside of every test case, such as a file that cannot be loaded, is a separate failure. */
  function breakSuite(text: string): void {
    const broken = openCase(suite);
    judgeCase(broken, 'error', text);
    current = broken;
    settle();
  }

  function openSuite(text: string, at: number): void {
    if (depth === 0 && tally.depth() === 0) tally.open(at);
    depth += 1;
    suite = text;
    if (text.endsWith('/')) closeSuite(at);
  }

  function closeSuite(at: number): void {
    depth = Math.max(0, depth - 1);
    if (depth > 0) return;
    tally.add(counts, at);
    counts = none;
  }

  function begin(text: string): void {
    current = openCase(text);
    if (text.endsWith('/')) settle();
  }

  function settle(): void {
    if (current === undefined) return;
    const { name, status, durationMs, error, file } = current;
    counts = addCounts(counts, { [status === 'error' ? 'failed' : status]: 1 });
    tally.name(status, name, { durationMs, file, error: status === 'skipped' ? undefined : error });
    current = undefined;
  }
}
