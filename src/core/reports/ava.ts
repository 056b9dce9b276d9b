import { addCounts, createTally, groupNumber, type LineReader } from './tally.ts';

const summaryLine =
  /^ {2}(\d{1,9}) (tests?|known failures?|uncaught exceptions?|unhandled rejections?)(?: (passed|failed|skipped|todo|remained pending.*))?$/;

/** AVA: a line for every test, a rule, every failure in full, another rule, and the counts of each result. */
export function createAvaReader(): LineReader {
  const tally = createTally();
  let passedLines = 0;
  // The smallest reporter of version 3 draws its counts over each other, and names nothing that passed.
  let drawn = 0;
  let before = '';
  let failedLines: string[] = [];
  let uncaught: string[] = [];
  let ruleAt = -9;
  let open: { passed?: number; failed: number; skipped: number; known: number; at: number } | undefined;

  const commit = () => {
    if (open === undefined) return;
    // When tests fail, AVA omits how many passed; a known failure has a line as if it had passed.
    const { passed = passedLines === 0 ? drawn : passedLines - open.known, failed, skipped, at } = open;
    tally.add(addCounts({ passed, failed, skipped }, {}), at);
    for (const name of failedLines) tally.name('failed', name);
    for (const name of uncaught) tally.name('error', name);
    passedLines = 0;
    drawn = 0;
    failedLines = [];
    uncaught = [];
    open = undefined;
    ruleAt = -9;
  };

  return {
    read: (line, at) => {
      // Before version 3 no rule ends the lines of the run.
      const endsRun = ruleAt < 0 && before === '' && (passedLines > 0 || failedLines.length > 0);
      if (open !== undefined || at === ruleAt + 2 || endsRun) {
        const match = summaryLine.exec(line);
        if (match === null) commit();
        else count(match, at);
      }
      if (line === '  ─') ruleAt = at;
      else if (line === '  ✘ Couldn’t find any files to test') tally.add({}, at);
      else if (ruleAt < 0) nameRun(line);
      else nameFailure(line);
      before = line;
    },
    finish: () => {
      commit();
      return tally.finish('ava');
    },
  };

  function count(match: RegExpExecArray, at: number): void {
    open ??= { failed: 0, skipped: 0, known: 0, at };
    open.at = at;
    const number = groupNumber(match, 1);
    const what = match[3] ?? match[2] ?? '';
    if (what.startsWith('known')) open.known = number;
    if (what === 'passed') open.passed = number;
    else if (what === 'skipped' || what === 'todo' || what.startsWith('known')) open.skipped += number;
    else open.failed += number;
  }

  function nameRun(line: string): void {
    const match = /^ {2}(✔|- \[skip\]|- \[todo\]|✘ \[fail\]:|✖) (.+?)(?: \([\d.]+m?s\))?$/.exec(line);
    drawn = groupNumber(/^ {2}(\d{1,9}) passed$/.exec(line), 1) || drawn;
    const error = /^ {2}((?:Uncaught exception|Unhandled rejection) in .+)$/.exec(line)?.[1];
    if (error !== undefined && uncaught.length < 500) uncaught.push(error);
    if (match?.[2] === undefined) return;
    if (match[1] === '✔') {
      passedLines += 1;
      tally.name('passed', match[2]);
    } else if (match[1]?.startsWith('-')) tally.name('skipped', match[2]);
    else if (failedLines.length < 500) failedLines.push(match[2]);
  }

  /** The line of a failed test continues with its message; the heading of its details is the name alone. */
  function nameFailure(line: string): void {
    if (!/^ {2}\S/.test(line)) return;
    const title = line.trim();
    const index = failedLines.findIndex((failed) => failed.startsWith(`${title} `));
    if (index >= 0) failedLines[index] = title;
  }
}
