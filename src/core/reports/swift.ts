import type { Counts } from './report.ts';
import { addCounts, createTally, groupNumber, type LineReader } from './tally.ts';

const none: Counts = { passed: 0, failed: 0, skipped: 0 };
const ofXctest = /^Test Case '(.+)' (passed|failed|skipped) \(([\d.]+) seconds\)\.?$/;
const ofTesting =
  /^\S{1,2} {1,2}Test (?!case passing \d)(.+?)(?: with \d{1,9} test cases?)? (?:(passed|failed) after ([\d.]+) seconds|(skipped))/;
const wholeSuite = /^Test Suite '(?:All|Selected) tests' (started|passed|failed) at /;
const wholeRun = /^\S{1,2} {1,2}Test run (?:started\.|with (\d{1,9}) tests?\b.* (?:passed|failed) after )/;

/** `swift test`: first the tests of XCTest, then those of Swift Testing. Each test is counted, not each assertion. */
export function createSwiftReader(): LineReader {
  const tally = createTally();
  let open: { readonly kind: 'XCTest' | 'Testing'; counts: Counts } | undefined;
  let lastAt = 0;

  const begin = (kind: 'XCTest' | 'Testing', at: number) => {
    if (open !== undefined) return;
    open = { kind, counts: none };
    lastAt = at;
  };
  const end = (kind: 'XCTest' | 'Testing', at: number) => {
    if (open?.kind !== kind) return;
    tally.add(open.counts, at);
    open = undefined;
  };

  return {
    read: (line, at) => {
      if (!line.includes('Test ')) return;
      const suite = wholeSuite.exec(line)?.[1];
      const run = wholeRun.exec(line);
      if (suite === 'started') begin('XCTest', at);
      else if (suite !== undefined) end('XCTest', at);
      else if (run !== null && run[1] === undefined) begin('Testing', at);
      else if (run !== null) end('Testing', at);
      else if (open !== undefined) readTest(line, open);
    },
    finish: () => {
      if (open !== undefined) {
        tally.add(open.counts, lastAt);
        tally.open(lastAt);
      }
      return tally.finish('swift');
    },
  };

  function readTest(line: string, { kind, counts }: NonNullable<typeof open>): void {
    const match = (kind === 'XCTest' ? ofXctest : ofTesting).exec(line);
    const name = match?.[1];
    const status = match?.[2] ?? match?.[4];
    if (name === undefined || (status !== 'passed' && status !== 'failed' && status !== 'skipped')) return;
    open = { kind, counts: addCounts(counts, { [status]: 1 }) };
    // On a Mac, the name is written as a message: "-[Module.Case test]".
    const plain = name.replace(/^-\[(\S+) (\S+)\]$/, '$1.$2');
    tally.name(status, plain, { durationMs: Math.round(groupNumber(match, 3) * 1_000) });
  }
}
