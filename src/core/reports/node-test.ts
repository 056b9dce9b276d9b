import type { Counts } from './report.ts';
import { createTally, groupNumber, type LineReader } from './tally.ts';

const order = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo', 'duration_ms'];

/** The lines that end every report of node:test; one that comes out of order starts over. */
export function createNodeSummary() {
  let values = new Map<string, number>();
  let next = 0;
  /** The counts, once the last line is read. */
  return (line: string): Counts | undefined => {
    const match = /^(?:ℹ|#) ([a-z_]+) (\d{1,12}(?:\.\d+)?)$/.exec(line);
    const word = match?.[1] ?? '';
    const place = order.indexOf(word);
    // Node 18 says nothing of suites.
    const fits = place === next || (next === 1 && place === 2);
    if (place === 0 || !fits) values = new Map();
    next = place === 0 || fits ? place + 1 : 0;
    if (next === 0) return undefined;
    values.set(word, groupNumber(match, 2));
    if (next < order.length) return undefined;
    const [passed = 0, failed = 0, cancelled = 0, skipped = 0, todo = 0] = order.slice(2).map((key) => values.get(key));
    next = 0;
    return { passed, failed: failed + cancelled, skipped: skipped + todo };
  };
}

/** node:test with its `spec` reporter: suites open with ▶ and close with their own mark. */
export function createNodeSpecReader(): LineReader {
  const tally = createTally();
  const summary = createNodeSummary();
  let suites: { readonly indent: number; readonly name: string }[] = [];
  let isOver = false;
  return {
    read: (line, at) => {
      const counts = line.startsWith('ℹ ') ? summary(line) : undefined;
      if (counts !== undefined) {
        tally.add(counts, at);
        suites = [];
      }
      if (line === '✖ failing tests:') isOver = true;
      else if (!isOver || line.startsWith('▶ ')) nameTest(line);
    },
    finish: () => tally.finish('node:test'),
  };

  function nameTest(line: string): void {
    const match = /^( *)(▶|✔|✖|﹣|⚠) (.+?)(?: \(([\d.]+)ms\))?( # (?:SKIP|TODO)\b.*)?$/.exec(line);
    if (match?.[1] === undefined || match[3] === undefined) return;
    isOver = false;
    const indent = match[1].length;
    const name = match[3];
    const closes = suites.some((suite) => suite.indent === indent && suite.name === name);
    suites = suites.filter((suite) => suite.indent < indent);
    if (match[2] === '▶') suites.push({ indent, name });
    if (match[2] === '▶' || closes) return;
    const full = [...suites.map((suite) => suite.name), name].join(' > ');
    const marked = match[2] === '✖' ? 'failed' : 'passed';
    const status = match[5] !== undefined || match[2] === '﹣' ? 'skipped' : marked;
    tally.name(status, full, { durationMs: match[4] === undefined ? undefined : Number(match[4]) });
  }
}
