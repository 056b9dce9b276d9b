import type { Counts } from './report.ts';
import { addCounts, countsOf, createTally, groupNumber, type LineReader, numbersOf } from './tally.ts';

const assembly =
  /^(?:Passed|Failed|Skipped)! +- Failed: +(\d{1,9}), Passed: +(\d{1,9}), Skipped: +(\d{1,9}), Total: +\d{1,9}, Duration: /;
const logger = /^Test summary: total: \d{1,9}, failed: (\d{1,9}), succeeded: (\d{1,9}), skipped: (\d{1,9}), duration: /;
const xunit =
  /^ +\S.* Total: (\d{1,9}), Errors: (\d{1,9}), Failed: (\d{1,9}), Skipped: (\d{1,9}), (?:Not Run: (\d{1,9}), )?Time: /;
// The same lines in other languages: the order is the same, and the numbers have to add up.
const word = '[^\\d,;:，：]{1,40}[:：] *';
const list = (count: number) => Array.from({ length: count }, () => `${word}(\\d{1,9})[,;，] ?`).join('');
const foreignAssembly = new RegExp(
  `^\\p{L}[^:,!！]{0,40}[!！] *[-:] *${list(4)}${word}.* - \\S.*\\.(?:dll|exe)\\b`,
  'u',
);
const foreignLogger = new RegExp(`^\\p{L}${word}${list(4)}${word}[\\d.,]+ ?s$`, 'u');
const opensBlock = /^(?:Total tests: (?:\d{1,9}|Unknown)$|Test run summary: \S)/;
const inBlock = /^ +(?:(total)|(passed|succeeded)|(failed|error)|(skipped)): (\d{1,9})$/i;
const took = '(?:< ?)?[\\d.,]+ ?(?:ms|s|m|h)\\b[^\\])]*';
const ofVstest = new RegExp(`^ {2}(Passed|Failed|Skipped|V|X|!) (\\S.*) \\[${took}\\]$`);
const ofLogger = new RegExp(`^ {6}(\\S.*) \\(${took}\\): Error Message:`);
const ofPlatform = new RegExp(`^(passed|failed|skipped) (\\S.*) \\(${took}\\)$`);

/** `dotnet test`: a line or a block for each assembly, or one summary of all; and xUnit.net by itself. */
export function createDotnetReader(): LineReader {
  const tally = createTally();
  let block: { counts: Counts; readonly at: number } | undefined;
  let isPlatform = false;
  let isXunit = false;

  const commit = () => {
    if (block !== undefined) tally.add(block.counts, block.at);
    block = undefined;
  };

  return {
    read: (line, at) => {
      const summary = assembly.exec(line) ?? logger.exec(line);
      const foreign = summary === null ? foreignCounts(line) : undefined;
      if (summary !== null) {
        const [failed = 0, passed = 0, skipped = 0] = numbersOf(summary, 3);
        tally.add({ passed, failed, skipped }, at);
      } else if (foreign !== undefined) tally.add(foreign, at);
      else if (opensBlock.test(line)) {
        commit();
        block = { counts: { passed: 0, failed: 0, skipped: 0 }, at };
      } else if (block !== undefined) readBlock(line, block);
      // The process that runs the tests died before it had run all of them.
      if (/^Test Run Aborted(?:\.| with error )/.test(line)) {
        tally.add({ failed: 1 }, at);
        tally.name('error', 'the test run was aborted');
      }
      if (line.startsWith('Running tests from ')) isPlatform = true;
      if (line.startsWith('xUnit.net ')) isXunit = true;
      if (isXunit) readXunit(line, at);
      nameTest(line);
    },
    finish: () => {
      commit();
      return tally.finish('dotnet');
    },
  };

  function readBlock(line: string, open: { counts: Counts }): void {
    const match = inBlock.exec(line);
    if (match === null) return commit();
    const count = groupNumber(match, 5);
    if (match[2] !== undefined) open.counts = addCounts(open.counts, { passed: count });
    else if (match[3] !== undefined) open.counts = addCounts(open.counts, { failed: count });
    else if (match[4] !== undefined) open.counts = addCounts(open.counts, { skipped: count });
    return undefined;
  }

  /** Its own runner, without dotnet around it. */
  function readXunit(line: string, at: number): void {
    const name = /^ {4}(\S.*) \[FAIL\]$/.exec(line)?.[1];
    if (name !== undefined) tally.name('failed', name);
    const match = xunit.exec(line);
    if (match === null) return;
    const [total = 0, errors = 0, failed = 0, skipped = 0, left = 0] = numbersOf(match, 5);
    const counts = countsOf(total, { failed, skipped: skipped + left });
    tally.add({ ...counts, failed: failed + errors }, at);
  }

  function nameTest(line: string): void {
    const quick = line.startsWith('      ') ? ofLogger.exec(line)?.[1] : undefined;
    if (quick !== undefined) tally.name('failed', quick);
    const match = line.startsWith('  ') ? ofVstest.exec(line) : isPlatform ? ofPlatform.exec(line) : null;
    if (match?.[2] === undefined) return;
    const word = match[1] ?? '';
    tally.name(/^(?:passed|V)$/i.test(word) ? 'passed' : /^(?:failed|X)$/i.test(word) ? 'failed' : 'skipped', match[2]);
  }
}

function foreignCounts(line: string): Counts | undefined {
  if (!/\d[,;，]/.test(line)) return undefined;
  const [failed = 0, passed = 0, skipped = 0, total = -1] = numbersOf(foreignAssembly.exec(line), 4);
  if (total > 0 && failed + passed + skipped === total) return { passed, failed, skipped };
  const [all = -1, bad = 0, good = 0, left = 0] = numbersOf(foreignLogger.exec(line), 4);
  return all > 0 && bad + good + left === all ? { passed: good, failed: bad, skipped: left } : undefined;
}
