import type { Counts } from './report.ts';
import { countsOf, createTally, groupNumber, type LineReader } from './tally.ts';

const maxNames = 100_000;
const rule = '-'.repeat(70);
const doubleRule = '='.repeat(70);

/** unittest: a rule, `Ran 3 tests in 0.1s`, an empty line and the verdict. */
export function createUnittestReader(): LineReader {
  const tally = createTally();
  let before = '';
  // The number of failures shown in full: a summary with a different number was printed in one of them.
  let shown = 0;
  let failing = new Set<string>();
  let quoted: { readonly counts: Counts; readonly at: number } | undefined;
  let ran: { readonly total: number; readonly at: number } | undefined;

  const settle = (line: string, at: number, total: number) => {
    const match = /^(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$/.exec(line);
    if (match === null) return;
    const numberOf = (word: string) => groupNumber(new RegExp(`(?:^|, )${word}=(\\d{1,9})`).exec(match[1] ?? ''), 1);
    const explained = numberOf('failures') + numberOf('errors');
    const unexpected = numberOf('unexpected successes');
    const skipped = numberOf('skipped') + numberOf('expected failures');
    // A failed subtest, or a failed set-up of a whole class, is a failure but not a test of its own.
    const bad = explained === shown ? failing.size + unexpected : explained + unexpected;
    const counts = { ...countsOf(total, { failed: bad, skipped }), failed: explained + unexpected };
    if (shown > 0 && explained !== shown) {
      quoted = { counts, at };
      return;
    }
    tally.add(counts, at);
    quoted = undefined;
    shown = 0;
    failing = new Set();
  };

  return {
    read: (line, at) => {
      if (before === rule) {
        const match = /^Ran (\d{1,9}) tests? in [\d.]+s$/.exec(line);
        if (match !== null) ran = { total: groupNumber(match, 1), at };
      } else if (ran !== undefined && at === ran.at + 2 && before === '') {
        settle(line, at, ran.total);
        ran = undefined;
      }
      if (before === doubleRule) nameFailure(line);
      else nameRun(line);
      before = line;
    },
    finish: () => {
      if (quoted !== undefined) tally.add(quoted.counts, quoted.at);
      return tally.finish('unittest');
    },
  };

  function nameFailure(line: string): void {
    const match = /^(ERROR|FAIL): (.+)$/.exec(line);
    if (match?.[2] === undefined) return;
    shown += 1;
    const test = /^\w+ \([\w.]+\)/.exec(match[2])?.[0];
    if (test !== undefined && !/^(?:setUp|tearDown)(?:Class|Module) /.test(test) && failing.size < maxNames)
      failing.add(test);
    tally.name(match[1] === 'ERROR' ? 'error' : 'failed', fullName(match[2]));
  }

  function nameRun(line: string): void {
    const match = /^(\w+ \([\w.]+\)) \.\.\. (ok|skipped|expected failure)(?: .*)?$/.exec(line);
    if (match?.[1] !== undefined) tally.name(match[2] === 'ok' ? 'passed' : 'skipped', fullName(match[1]));
  }
}

/** `test_a (file.Case)`, as older versions have it, and `test_a (file.Case.test_a)` are the same test. */
function fullName(text: string): string {
  const match = /^(\w+) \(([\w.]+)\)(.*)$/.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) return text;
  const name = match[2].endsWith(`.${match[1]}`) ? match[2] : `${match[2]}.${match[1]}`;
  return `${name}${match[3] ?? ''}`;
}
