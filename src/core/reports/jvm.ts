import { countsOf, createTally, groupNumber, type LineReader } from './tally.ts';

const prefix = /^\[(?:INFO|ERROR|WARNING|WARN)\] ?/;

/** Maven's surefire and failsafe: the bare line of counts below each `Results:`, one for every module. */
export function createSurefireReader(): LineReader {
  const tally = createTally();
  let hasResults = false;
  // Modules may be tested side by side: what counts is that each that began was summed up.
  let running = 0;
  let lastAt = 0;
  return {
    read: (line, at) => {
      const text = line.replace(prefix, '');
      if (text === ' T E S T S') {
        running += 1;
        lastAt = at;
      } else if (/^Results ?: ?$/.test(text)) hasResults = true;
      else if (text === 'No tests to run.' && text !== line) tally.add({}, at);
      else if (hasResults && text.startsWith('Tests run: ')) settle(text, at);
      else if (text.endsWith(' <<< FAILURE!') || text.endsWith(' <<< ERROR!')) nameFailure(text);
    },
    finish: () => {
      if (running > 0) tally.open(lastAt);
      return tally.finish('surefire');
    },
  };

  function settle(text: string, at: number): void {
    const match =
      /^Tests run: (\d{1,9}), Failures: (\d{1,9}), Errors: (\d{1,9}), Skipped: (\d{1,9})(?:, Flakes: \d{1,9})?$/.exec(
        text,
      );
    if (match === null) return;
    const failed = groupNumber(match, 2) + groupNumber(match, 3);
    tally.add(countsOf(groupNumber(match, 1), { failed, skipped: groupNumber(match, 4) }), at);
    hasResults = false;
    running = Math.max(0, running - 1);
  }

  /** `divides(CalcTest)  Time elapsed: …` before version 3, `CalcTest.divides -- Time elapsed: …` since. */
  function nameFailure(text: string): void {
    const end = text.indexOf(' Time elapsed: ');
    const match = /^ Time elapsed: ([\d.,]+) s.* <<< (FAILURE|ERROR)!$/.exec(text.slice(Math.max(0, end)));
    if (match === null || text.startsWith('Tests run:')) return;
    const told = text.slice(0, end).trim().replace(/ --$/, '');
    const old = /^(.+)\(([\w.$]+)\)$/.exec(told);
    const name = old === null ? told : `${old[2]}.${old[1]}`;
    const durationMs = Math.round(Number(match[1]?.replace(',', '')) * 1_000);
    tally.name(match[2] === 'ERROR' ? 'error' : 'failed', name, { durationMs });
  }
}

/** Gradle: it counts its tests only when some of them fail. */
export function createGradleReader(): LineReader {
  const tally = createTally();
  let isGradle = false;
  return {
    read: (line, at) => {
      if (line.startsWith('> Task :')) isGradle = true;
      if (!isGradle) return;
      const summary = /^(\d{1,9}) tests? completed(?:, (\d{1,9}) failed)?(?:, (\d{1,9}) skipped)?$/.exec(line);
      if (summary !== null) {
        const [failed, skipped] = [groupNumber(summary, 2), groupNumber(summary, 3)];
        tally.add(countsOf(groupNumber(summary, 1), { failed, skipped }), at);
      }
      const match = /^(\S.* > .+) (PASSED|FAILED|SKIPPED)$/.exec(line);
      if (match?.[1] === undefined || line.startsWith('> ')) return;
      tally.name(match[2] === 'PASSED' ? 'passed' : match[2] === 'FAILED' ? 'failed' : 'skipped', match[1]);
    },
    finish: () => tally.finish('gradle'),
  };
}

/** `dotnet test`: a line for each assembly, or the summary of the terminal logger. */
export function createDotnetReader(): LineReader {
  const tally = createTally();
  let verbose: { readonly total: number; failed: number; skipped: number; at: number } | undefined;

  const commit = () => {
    if (verbose !== undefined) tally.add(countsOf(verbose.total, verbose), verbose.at);
    verbose = undefined;
  };

  return {
    read: (line, at) => {
      const assembly =
        /^(?:Passed|Failed|Skipped)! +- Failed: +(\d{1,9}), Passed: +(\d{1,9}), Skipped: +(\d{1,9}), Total: +\d{1,9}, Duration: /.exec(
          line,
        );
      const logger =
        /^Test summary: total: (\d{1,9}), failed: (\d{1,9}), succeeded: (\d{1,9}), skipped: (\d{1,9}), duration: /.exec(
          line,
        );
      if (assembly !== null) {
        const [failed, passed, skipped] = [1, 2, 3].map((group) => groupNumber(assembly, group));
        tally.add({ passed: passed ?? 0, failed: failed ?? 0, skipped: skipped ?? 0 }, at);
      } else if (logger !== null) {
        const [failed, passed, skipped] = [2, 3, 4].map((group) => groupNumber(logger, group));
        tally.add({ passed: passed ?? 0, failed: failed ?? 0, skipped: skipped ?? 0 }, at);
      } else if (/^Total tests: \d{1,9}$/.test(line)) {
        commit();
        verbose = { total: Number(line.slice(13)), failed: 0, skipped: 0, at };
      } else if (verbose !== undefined) addVerbose(line, verbose);
      nameTest(line);
    },
    finish: () => {
      commit();
      return tally.finish('dotnet');
    },
  };

  function addVerbose(line: string, open: { failed: number; skipped: number }): void {
    const match = /^ +(Passed|Failed|Skipped): (\d{1,9})$/.exec(line);
    if (match?.[1] === 'Failed') open.failed = groupNumber(match, 2);
    else if (match?.[1] === 'Skipped') open.skipped = groupNumber(match, 2);
    else if (match === null) commit();
  }

  function nameTest(line: string): void {
    const match = /^ {2}(Passed|Failed|Skipped) (\S.*) \[(?:< )?[\d.,]+ (?:ms|s|m|h)[^\]]*\]$/.exec(line);
    const quick = /^ {6}(\S+(?:\(.*\))?) \([\d.,]+(?:ms|s)\): Error Message:/.exec(line)?.[1];
    if (quick !== undefined) tally.name('failed', quick);
    if (match?.[2] === undefined) return;
    tally.name(match[1] === 'Passed' ? 'passed' : match[1] === 'Failed' ? 'failed' : 'skipped', match[2]);
  }
}
