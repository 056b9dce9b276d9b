import { createTally, groupNumber, type LineReader } from './tally.ts';

const rule = '-'.repeat(70);
const doubleRule = '='.repeat(70);

/** unittest: a rule, `Ran 3 tests in 0.1s`, an empty line and the verdict. */
export function createUnittestReader(): LineReader {
  const tally = createTally();
  let before = '';
  let ran: { readonly total: number; readonly at: number } | undefined;

  const settle = (line: string, at: number, total: number) => {
    const match = /^(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$/.exec(line);
    if (match === null) return;
    const numberOf = (word: string) => groupNumber(new RegExp(`(?:^|, )${word}=(\\d{1,9})`).exec(match[1] ?? ''), 1);
    const failed = numberOf('failures') + numberOf('errors') + numberOf('unexpected successes');
    const skipped = numberOf('skipped') + numberOf('expected failures');
    tally.add({ passed: Math.max(0, total - failed - skipped), failed, skipped }, at);
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
    finish: () => tally.finish('unittest'),
  };

  function nameFailure(line: string): void {
    const match = /^(ERROR|FAIL): (.+)$/.exec(line);
    if (match?.[2] !== undefined) tally.name(match[1] === 'ERROR' ? 'error' : 'failed', fullName(match[2]));
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
