import { createTally, groupNumber, type LineReader, maxDetails, numbersOf } from './tally.ts';

const result = /^(?:ok|FAILED) \| \d{1,9} passed\b.* \| \d{1,9} failed\b.* \([\d.]+[a-zµ]+\)$/;
const legacyResult =
  /^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored; \d{1,9} measured; \d{1,9} filtered out/;

/** Deno: `ok | 3 passed | 0 failed (71ms)` after an empty line, and before 1.20 a line like cargo's. */
export function createDenoReader(): LineReader {
  const tally = createTally();
  let before = '';
  let listsFailures = false;
  let isDeno = false;
  let names: string[] = [];
  // The output of a test is between two rules.
  let isPrinted = false;
  return {
    read: (line, at) => {
      if (/^-{3,} (?:[a-z-]+ )?output -{3,}$/.test(line)) isPrinted = true;
      else if (/-{3,} (?:[a-z-]+ )?output end -{3,}$/.test(line)) isPrinted = false;
      if (isPrinted) return;
      if (/^running \d{1,9} tests? from \S/.test(line)) isDeno = true;
      const legacy = isDeno && before === '' ? legacyResult.exec(line) : null;
      if (before === '' && result.test(line)) settle(line, at);
      else if (legacy !== null) addLegacyCounts(legacy, at);
      else if (line === 'error: No test modules found') tally.add({}, at);
      else nameTest(line);
      if (line === ' FAILURES') listsFailures = true;
      else if (line === '' && before !== ' FAILURES') listsFailures = false;
      before = line;
    },
    finish: () => tally.finish('deno'),
  };

  function settle(line: string, at: number): void {
    const numberOf = (word: string) => groupNumber(new RegExp(`\\| (\\d{1,9}) ${word}\\b`).exec(line), 1);
    tally.add({ passed: numberOf('passed'), failed: numberOf('failed'), skipped: numberOf('ignored') }, at);
  }

  function addLegacyCounts(legacy: RegExpExecArray, at: number): void {
    const [passed = 0, failed = 0, skipped = 0] = numbersOf(legacy, 3);
    tally.add({ passed, failed, skipped }, at);
    for (const name of names) tally.name('failed', name);
    names = [];
  }

  function nameTest(line: string): void {
    const failure = listsFailures ? /^(.+?) (?:=> \S+:\d+:\d+|\(uncaught error\))$/.exec(line)?.[1] : undefined;
    if (failure !== undefined) tally.name('failed', failure);
    // Failures are shown in full and then listed, both under the same heading.
    if (line === 'failures:') names = [];
    else if (isDeno && /^\t\S/.test(line) && names.length < maxDetails) names.push(line.trim());
    if (!line.includes(' ... ')) return;
    const match = /^(?:test )?(\S.*) \.\.\. (ok|ignored) \([\d.]+\S{1,2}\)$/.exec(line);
    if (match?.[1] !== undefined) tally.name(match[2] === 'ok' ? 'passed' : 'skipped', match[1]);
  }
}
