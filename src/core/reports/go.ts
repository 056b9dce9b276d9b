import { createGoEvents } from './go-events.ts';
import type { Counts } from './report.ts';
import { countsOf, createTally, type LineReader, numbersOf, type Tally } from './tally.ts';

const maxNames = 100_000;
const resultLine = /^ *--- (PASS|FAIL|SKIP): (\S+) \(([\d.]+)s\)$/;
// A tab, or the spaces that replaced it.
const packageLine = /^(ok|FAIL|\?)(?: {0,3}\t| {4,7})(\S+)(?:\s+(.*))?$/;
const statuses = { PASS: 'passed', FAIL: 'failed', SKIP: 'skipped' } as const;
type Word = keyof typeof statuses;

interface Result {
  readonly word: Word;
  readonly name: string;
  readonly durationMs: number;
  file?: string;
  error?: string;
}

/** `go test`, plain, with -v and with -json: a line for each package, and above it the tests that it names. */
export function createGoReader(): LineReader {
  const tally = createTally();
  let begun = new Set<string>();
  let results: Result[] = [];
  let lastAt = 0;
  const events = createGoEvents(tally);
  let isJudged = false;

  return {
    read: (line, at) => {
      const first = line.charCodeAt(0);
      if (first === 0x7b) return events.read(line, at);
      if (line === 'PASS' || line === 'FAIL') isJudged = true;
      if (line.startsWith('=== RUN ')) {
        // Anything that looked like results before the first test began was printed by something else.
        if (begun.size === 0) results = [];
        isJudged = false;
        if (begun.size < maxNames) begun.add(line.slice(8).trim());
        return undefined;
      }
      if (line.trimStart().startsWith('--- ')) return readResult(line, at);
      // With -v another test may have logged it.
      if (first === 0x20 && begun.size === 0) readLog(line, results.at(-1));
      if (first === 0x6f || first === 0x46 || first === 0x3f) readPackage(line, at);
      return undefined;
    },
    finish: () => {
      // A test binary that is run by itself names no package.
      if (begun.size > 0) for (const result of results) settle(tally, result, lastAt);
      if (events.isOpen() || (begun.size > 0 && !isJudged)) tally.open(lastAt);
      return tally.finish('go');
    },
  };

  function readResult(line: string, at: number): void {
    const match = resultLine.exec(line);
    const name = match?.[2];
    if (match === null || name === undefined || results.length >= maxNames) return;
    // With -v every test is announced; a result of one that never began was printed by another.
    if (begun.size > 0 && !begun.has(name)) return;
    if (begun.size === 0 && line.startsWith(' ') && !name.includes('/')) return;
    lastAt = at;
    results.push({ word: match[1] as Word, name, durationMs: Math.round(Number(match[3]) * 1_000) });
  }

  function readPackage(line: string, at: number): void {
    const match = packageLine.exec(line);
    const name = match?.[2];
    const rest = match?.[3] ?? '';
    if (match === null || name === undefined) return;
    if (!/^(?:[\d.]+s|\(cached\)|\[[a-z ]+\])/.test(rest)) return;
    if (match[1] === 'ok') settleWell(name, rest, at);
    else if (match[1] === 'FAIL') settleFailed(name, at);
    else if (rest.startsWith('[no test files]')) tally.add({}, at);
    begun = new Set();
    results = [];
  }

  function settleWell(name: string, rest: string, at: number): void {
    if (begun.size > 0) return count(name, at);
    if (rest.includes('[no tests to run]')) return tally.add({}, at);
    tally.add({ passed: 1 }, at);
    return tally.name('passed', name);
  }

  function settleFailed(name: string, at: number): void {
    count(name, at);
    if (results.some(({ word }) => word === 'FAIL')) return;
    tally.add({ failed: 1 }, at);
    tally.name('error', name);
  }

  function count(place: string, at: number): void {
    for (const result of results) settle(tally, { ...result, name: `${place}.${result.name}` }, at);
    if (results.length === 0) tally.add({}, at);
  }
}

function settle(tally: Tally, { word, name, ...more }: Result, at: number): void {
  tally.add({ [statuses[word]]: 1 }, at);
  tally.name(statuses[word], name, more);
}

/** Below the result of a failed test is its log, with file and line. */
function readLog(line: string, last: Result | undefined): void {
  if (last?.word !== 'FAIL' || last.error !== undefined) return;
  const match = /^ {4,40}(\S{1,200}\.go):\d{1,9}: (.*)$/.exec(line);
  if (match !== null) [last.file, last.error] = [match[1] ?? '', match[2] ?? ''];
}

const gotestsum =
  /^DONE (?:(\d{1,9}) runs, )?(\d{1,9}) tests?(?:, (\d{1,9}) skipped)?(?:, (\d{1,9}) failures?)?(?:, (\d{1,9}) errors?)? in [\d.]+s$/;

/** gotestsum: whatever its format for each test, it ends with one line of counts. */
export function createGotestsumReader(): LineReader {
  const tally = createTally();
  let names: string[] = [];
  let pending: { readonly total: number; counts: Counts; failing: readonly string[]; at: number } | undefined;

  const commit = () => {
    if (pending === undefined) return;
    tally.add(pending.counts, pending.at);
    for (const name of pending.failing) tally.name('failed', name);
    pending = undefined;
  };
  /** Failed tests were run again, up to a maximum number of times: a test that passed in its last run has passed. */
  const runAgain = (run: number, first: NonNullable<typeof pending>, at: number) => {
    const mark = ` (re-run ${run - 1})`;
    first.failing = names.filter((name) => name.endsWith(mark)).map((name) => name.slice(0, -mark.length));
    const { skipped } = first.counts;
    first.counts = countsOf(first.total, { failed: first.failing.length, skipped });
    first.at = at;
  };

  return {
    read: (line, at) => {
      if (line.startsWith('=== FAIL: ') && names.length < 500) {
        const match = /^=== FAIL: (\S+) (.+) \([\d.]+s\)$/.exec(line);
        if (match?.[2] !== undefined) names.push(match[1] === '.' ? match[2] : `${match[1]}.${match[2]}`);
      }
      const match = line.startsWith('DONE ') ? gotestsum.exec(line) : null;
      if (match === null) return;
      const [runs = 0, total = 0, skipped = 0, failed = 0, errors = 0] = numbersOf(match, 5);
      if (runs > 1 && pending !== undefined) runAgain(runs, pending, at);
      else {
        commit();
        const counts = { ...countsOf(total, { failed, skipped }), failed: failed + errors };
        pending = { total, counts, failing: names, at };
      }
      names = [];
    },
    finish: () => {
      commit();
      return tally.finish('gotestsum');
    },
  };
}
