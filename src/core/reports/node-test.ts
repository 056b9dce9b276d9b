import type { Counts } from './report.ts';
import { addCounts, createTally, groupNumber, type LineReader } from './tally.ts';

/** The counts in the last lines of node:test. */
export interface NodeCounts extends Counts {
  /** How many tests and suites there were. */
  readonly points: number;
}

const order = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo', 'duration_ms'];
const none: Counts = { passed: 0, failed: 0, skipped: 0 };

/** The lines that end every report of node:test; one that comes out of order starts over. */
export function createNodeSummary() {
  let values = new Map<string, number>();
  let next = 0;
  /** The counts, once the last line is read. */
  return (line: string): NodeCounts | undefined => {
    const match = /^(?:ℹ|#) ([a-z_]+) (\d{1,12}(?:\.\d+)?)$/.exec(line);
    const word = match?.[1] ?? '';
    const place = order.indexOf(word);
    // Node 18 does not report suites.
    const fits = place === next || (next === 1 && place === 2);
    if (place === 0 || !fits) values = new Map();
    next = place === 0 || fits ? place + 1 : 0;
    if (next === 0) return undefined;
    values.set(word, groupNumber(match, 2));
    if (next < order.length) return undefined;
    const [tests = 0, suites = 0, passed = 0, failed = 0, cancelled = 0, skipped = 0, todo = 0] = order.map((key) =>
      values.get(key),
    );
    next = 0;
    return { passed, failed: failed + cancelled, skipped: skipped + todo, points: tests + suites };
  };
}

/** node:test with its `spec` reporter: suites open with ▶ and close with their own mark. */
export function createNodeSpecReader(): LineReader {
  const tally = createTally();
  const summary = createNodeSummary();
  let suites: { readonly indent: number; readonly name: string }[] = [];
  // Every test and suite has a line of its own: a summary that counts all of them replaces any that tests printed.
  let points = 0;
  let uncovered = { counts: none, at: -1 };
  let before = '';
  // After its counts it quotes every failure in full, each line indented.
  let isQuoting = false;

  const sumUp = ({ points: reported, ...counts }: NodeCounts, at: number) => {
    if (reported === points) {
      tally.add(counts, at);
      points = 0;
      uncovered = { counts: none, at: -1 };
    } else uncovered = { counts: addCounts(uncovered.counts, counts), at };
    suites = [];
  };

  return {
    read: (line, at) => {
      isQuoting &&= /^(?: {2}|[✖⚠] |test at |$)/.test(line);
      // The dots of its other reporter do not distinguish tests from suites.
      if (line === 'Failed tests:' && /^[.X]+$/.test(before)) tally.open(at);
      if (line === '✖ failing tests:' || line === 'Failed tests:') isQuoting = true;
      if (line !== '') before = line;
      if (isQuoting) return tally.hold(at);
      const counts = line.startsWith('ℹ ') ? summary(line) : undefined;
      if (counts !== undefined) sumUp(counts, at);
      return nameTest(line);
    },
    finish: () => {
      if (uncovered.at >= 0) tally.add(uncovered.counts, uncovered.at);
      return tally.finish('node:test');
    },
  };

  function nameTest(line: string): void {
    const match = /^( *)(▶|✔|✖|﹣|⚠) (\S.*?)(?: \(([\d.]+)ms\))?( # (?:SKIP|TODO)\b.*|(?<=ms\)) # .*)?$/.exec(line);
    if (match?.[1] === undefined || match[3] === undefined) return;
    const indent = match[1].length;
    const name = match[3];
    const opens = match[2] === '▶' && match[4] === undefined;
    if (!opens) points += 1;
    const closes = suites.some((suite) => suite.indent === indent && suite.name === name);
    suites = suites.filter((suite) => suite.indent < indent);
    if (opens) suites.push({ indent, name });
    if (match[2] === '▶' || closes) return;
    const full = [...suites.map((suite) => suite.name), name].join(' > ');
    const marked = match[2] === '✖' ? 'failed' : 'passed';
    const status = match[5] !== undefined || match[2] === '﹣' ? 'skipped' : marked;
    tally.name(status, full, { durationMs: match[4] === undefined ? undefined : Number(match[4]) });
  }
}
