import type { Counts } from './report.ts';
import { countsOf, createTally, groupNumber, type LineReader } from './tally.ts';

/** PHPUnit: the verdict follows the line about time and memory; only the last one counts, the others are quoted. */
export function createPhpunitReader(): LineReader {
  const tally = createTally();
  let isPhpunit = false;
  let timeAt: number | undefined;
  let pending: { readonly counts: Counts; readonly at: number } | undefined;
  let listed: 'error' | 'failed' | undefined;
  let number = 0;
  let isNamedAbove = false;
  let before = '';

  const commit = () => {
    if (pending !== undefined) tally.add(pending.counts, pending.at);
    pending = undefined;
    timeAt = undefined;
    listed = undefined;
  };

  return {
    read: (line, at) => {
      if (/^(?:ParaTest v\S+ upon )?PHPUnit \d+\.\d.* by /.test(line)) {
        commit();
        if (tally.depth() === 0) tally.open(at);
        isPhpunit = true;
      }
      if (!isPhpunit) return;
      if (/^Time: .*, Memory: /.test(line)) timeAt = at;
      else if (line === 'No tests executed!') tally.add({}, at);
      else if (timeAt !== undefined) judge(line, at);
      nameFailure(line);
      before = line;
    },
    finish: () => {
      commit();
      return tally.finish('phpunit');
    },
  };

  function judge(line: string, at: number): void {
    const ok = before === '' ? /^OK \((\d{1,9}) tests?, \d{1,9} assertions?\)$/.exec(line) : null;
    if (ok !== null) pending = { counts: countsOf(groupNumber(ok, 1), {}), at };
    const isVerdict = /^(?:OK, but .*|[A-Z][A-Z ]{1,40}!)$/.test(before);
    if (!isVerdict || !/^Tests: \d{1,9}, Assertions: \d/.test(line)) return;
    const numberOf = (word: string) => groupNumber(new RegExp(`(?:^|, )${word}: (\\d{1,9})`).exec(line), 1);
    const failed = numberOf('Errors') + numberOf('Failures');
    const skipped = numberOf('Skipped') + numberOf('Incomplete');
    pending = { counts: countsOf(numberOf('Tests'), { failed, skipped }), at };
  }

  function nameFailure(line: string): void {
    const heading = /^(?:There (?:was|were) \d+ (error|failure|\w+)s?:?|\d+ tests? triggered \d)/.exec(line);
    if (heading !== null) {
      listed = heading[1] === 'error' ? 'error' : heading[1] === 'failure' ? 'failed' : undefined;
      number = 0;
      return;
    }
    const entry = listed === undefined ? null : /^(\d{1,9})\) (\S+::.+)$/.exec(line);
    if (listed !== undefined && entry?.[2] !== undefined && Number(entry[1]) === number + 1) {
      number += 1;
      tally.name(listed, entry[2]);
    }
    // Before version 10 the names are above the time, and those that failed again below it.
    const name = /^ ✘ (.+?)(?: \[[\d.]+ ms\])?$/.exec(line)?.[1];
    if (name === undefined || (timeAt !== undefined && isNamedAbove)) return;
    isNamedAbove = timeAt === undefined;
    tally.name('failed', name);
  }
}
