import type { Counts } from './report.ts';
import { createTally, type LineReader, sumOf, wordCounts } from './tally.ts';

/** node-tap 14 to 16 on a terminal: `Suites:` and `Asserts:` one below the other, redrawn repeatedly. */
export function createTapTerminalReader(): LineReader {
  const tally = createTally();
  let suitesAt = -2;
  let isDone = false;
  let pending: { readonly counts: Counts; readonly at: number } | undefined;
  return {
    read: (line, at) => {
      const suites = /^Suites: {3}(?:.*, )?(\d{1,9}) of (\d{1,9}) completed$/.exec(line);
      if (suites !== null) {
        suitesAt = at;
        isDone = suites[1] === suites[2];
      } else if (suitesAt === at - 1 && line.startsWith('Asserts:  ')) {
        const counts = isDone ? wordCounts(line.slice(10).replace(/ ?,? of \d{1,9}$/, ''), ', ') : undefined;
        if (counts !== undefined) pending = { counts: toCounts(counts), at };
      }
    },
    finish: () => {
      if (pending !== undefined) tally.add(pending.counts, pending.at);
      return tally.finish('tap');
    },
  };
}

function toCounts(counts: ReadonlyMap<string, number>): Counts {
  return { passed: sumOf(counts, 'passed'), failed: sumOf(counts, 'failed'), skipped: sumOf(counts, 'skip', 'todo') };
}
