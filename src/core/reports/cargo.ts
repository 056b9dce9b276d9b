import type { Counts } from './report.ts';
import { countsOf, createTally, groupNumber, type LineReader, numbersOf } from './tally.ts';

const result =
  /^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored; (\d{1,9}) measured; \d{1,9} filtered out/;
const tested = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)(?:,.*| <[\d.]+s>)?$/;

/** The counts in the line `test result: …`; what was measured has passed. */
export function readCargoSummary(line: string): Counts | undefined {
  const match = result.exec(line);
  if (match === null) return undefined;
  const [passed = 0, failed = 0, skipped = 0, measured = 0] = numbersOf(match, 4);
  return { passed: passed + measured, failed, skipped };
}

/** `cargo test`: one summary for each test binary, each announced by how many tests it is going to run. */
export function createCargoReader(): LineReader {
  const tally = createTally();
  // The number of tests that the binary announced, followed by similar announcements that its tests printed.
  let announced: number[] = [];
  let part: 'run' | 'output' | 'names' = 'run';
  let names: string[] = [];
  let binary = '';
  const errors = createPanics();

  const open = (line: string, at: number) => {
    const match = /^running (\d{1,9}) tests?(?: \(shuffle seed: \d+\))?$/.exec(line);
    // In the output of a failed test, another run may be quoted.
    if (match === null || (announced.length > 0 && part !== 'run')) return;
    if (announced.length === 0) tally.open(at);
    if (announced.length < 100) announced.push(groupNumber(match, 1));
    part = 'run';
  };
  const settle = (line: string, at: number) => {
    const counts = readCargoSummary(line);
    // A test may print such a line, too: only the one that adds up to the announced number is cargo's own.
    if (counts === undefined || counts.passed + counts.failed + counts.skipped !== announced[0]) return;
    tally.add(counts, at);
    for (const name of names) tally.name('failed', name, { error: errors.of(name) });
    announced = [];
    names = [];
  };
  /** The binary died before its summary: one of its tests crashed the whole process. */
  const breakOff = (at: number) => {
    if (announced.length === 0) return;
    tally.add({ failed: 1 }, at);
    tally.name('error', binary === '' ? 'the test binary broke off' : binary);
    announced = [];
    names = [];
  };

  return {
    read: (line, at) => {
      if (line.startsWith('running ')) open(line, at);
      else if (/^(?:error: test failed, to rerun pass | {5}Running \S| {3}Doc-tests )/.test(line)) {
        if (part === 'run') breakOff(at);
        if (!line.startsWith('error')) binary = line.trim().replace(/ \(\S+\)$/, '');
      } else if (announced.length === 0) return;
      else if (line === 'failures:') {
        part = part === 'run' ? 'output' : 'names';
        names = [];
      } else if (result.test(line)) settle(line, at);
      else if (part === 'run') nameRun(line);
      else if (part === 'output') errors.read(line);
      else if (part === 'names' && /^ {4}\S/.test(line) && names.length < 500) names.push(line.trim());
    },
    finish: () => tally.finish('cargo'),
  };

  function nameRun(line: string): void {
    const match = line.startsWith('test ') ? tested.exec(line) : null;
    if (match?.[1] === undefined || match[2] === 'FAILED') return;
    tally.name(match[2] === 'ok' ? 'passed' : 'skipped', match[1]);
  }
}

/** The messages of tests that panicked: the place on one line, and the reason on the next. */
function createPanics() {
  const messages = new Map<string, string>();
  let awaited = '';
  return {
    read: (line: string): void => {
      if (awaited !== '' && line !== '') messages.set(awaited, `${messages.get(awaited)} ${line.trim()}`);
      awaited = '';
      const match = line.startsWith('thread ') ? /^thread '([^']+)'(?: \(\d+\))? (panicked at .+)$/.exec(line) : null;
      if (match?.[1] === undefined || messages.size >= 500) return;
      messages.set(match[1], match[2] ?? '');
      if (line.endsWith(':')) awaited = match[1];
    },
    of: (name: string) => messages.get(name),
  };
}

const nextestResult =
  /^ *(PASS|LEAK|TMPASS|SKIP|FAIL|XFAIL|LEAK-FAIL|TIMEOUT|ABORT|SIG[A-Z\d]{2,7})(?: \+ LEAK)? +\[ *([\d.]+)s\] (?:\( *\d+\/\d+\) )?(.+)$/;

/** `cargo nextest run`: a line for every test, and one summary. */
export function createNextestReader(): LineReader {
  const tally = createTally();
  let isOver = false;
  return {
    read: (line, at) => {
      if (line === 'error: no tests to run') tally.add({}, at);
      if (!line.includes('s] ')) return;
      const summary = /^ *Summary \[ *[\d.]+s\] (\d{1,9})(?:\/\d{1,9})? tests? run: (.*)$/.exec(line);
      if (summary?.[2] !== undefined) {
        const passed = groupNumber(/(\d{1,9}) passed/.exec(summary[2]), 1);
        const skipped = groupNumber(/(\d{1,9}) skipped/.exec(summary[2]), 1);
        const failed = Math.max(0, groupNumber(summary, 1) - passed);
        tally.add({ ...countsOf(passed + failed, { failed }), skipped }, at);
        isOver = true;
        return;
      }
      // Below the summary are the results of the last attempts.
      const match = nextestResult.exec(isOver ? line.replace(/^ *TRY \d{1,3} /, '') : line);
      if (match?.[3] === undefined) return;
      const durationMs = Math.round(Number(match[2]) * 1_000);
      if (match[1] === 'PASS' || match[1] === 'LEAK' || match[1] === 'TMPASS')
        tally.name('passed', match[3], { durationMs });
      else if (match[1] === 'SKIP') tally.name('skipped', match[3]);
      else if (!tally.hasFailing(match[3])) tally.name('failed', match[3], { durationMs });
    },
    finish: () => tally.finish('nextest'),
  };
}
