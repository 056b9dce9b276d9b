import type { Counts } from './report.ts';
import { addCounts, countsOf, createTally, groupNumber, type LineReader, maxDetails } from './tally.ts';

const prefix = /^\[(?:INFO|ERROR|WARNING|WARN)\] ?/;

/** Maven's surefire and failsafe: the bare line of counts below each `Results:`, one for every module. */
export function createSurefireReader(): LineReader {
  const tally = createTally();
  let part: 'run' | 'results' | 'flakes' = 'run';
  let failures: Failing[] = [];
  // Modules may be tested in parallel: each that began must have a summary.
  let running = 0;
  let lastAt = 0;
  return {
    read: (line, at) => {
      const text = line.replace(prefix, '');
      if (text === ' T E S T S') {
        running += 1;
        lastAt = at;
      } else if (/^Results ?: ?$/.test(text)) part = 'results';
      else if (text !== line && readNotice(text, at)) return;
      else if (part !== 'run' && text.startsWith('Tests run: ')) settle(text, at);
      else if (text.endsWith(' <<< FAILURE!') || text.endsWith(' <<< ERROR!')) keepFailure(text);
      else if (part === 'flakes') failures = failures.filter(({ name }) => name !== text.trim());
    },
    finish: () => {
      if (running > 0) tally.open(lastAt);
      nameAll();
      return tally.finish('surefire');
    },
  };

  /** The text after a log level: a heading, which a quiet run prints without `Results:`, or why no tests run. */
  function readNotice(text: string, at: number): boolean {
    if (text === 'No tests to run.' || text === 'Tests are skipped.') tally.add({}, at);
    else if (/^(?:Failures|Errors): ?$/.test(text)) part = 'results';
    else if (/^Flakes: ?$/.test(text)) part = 'flakes';
    else return false;
    return true;
  }

  function settle(text: string, at: number): void {
    const match =
      /^Tests run: (\d{1,9}), Failures: (\d{1,9}), Errors: (\d{1,9}), Skipped: (\d{1,9})(?:, Flakes: \d{1,9})?$/.exec(
        text,
      );
    if (match === null) return;
    const failed = groupNumber(match, 2) + groupNumber(match, 3);
    tally.add(countsOf(groupNumber(match, 1), { failed, skipped: groupNumber(match, 4) }), at);
    nameAll();
    part = 'run';
    running = Math.max(0, running - 1);
  }

  function nameAll(): void {
    for (const { status, name, durationMs } of failures) tally.name(status, name, { durationMs });
    failures = [];
  }

  /**
   * `divides(CalcTest)  Time elapsed: …` before version 3, `CalcTest.divides -- Time elapsed: …` since. A test that is
   * run again may fail again.
   */
  function keepFailure(text: string): void {
    const end = text.indexOf(' Time elapsed: ');
    const match = /^ Time elapsed: ([\d.,]+) s.* <<< (FAILURE|ERROR)!$/.exec(text.slice(Math.max(0, end)));
    if (match === null || text.startsWith('Tests run:') || failures.length >= maxDetails) return;
    const printed = text.slice(0, end).trim().replace(/ --$/, '');
    const old = /^(.+)\(([\w.$]+)\)$/.exec(printed);
    const name = old === null ? printed : `${old[2]}.${old[1]}`;
    if (failures.some((failure) => failure.name === name)) return;
    const durationMs = Math.round(Number(match[1]?.replace(',', '')) * 1_000);
    failures.push({ status: match[2] === 'ERROR' ? 'error' : 'failed', name, durationMs });
  }
}

interface Failing {
  readonly status: 'failed' | 'error';
  readonly name: string;
  readonly durationMs: number;
}

/** Gradle: it counts its tests only when some of them fail. */
export function createGradleReader(): LineReader {
  const tally = createTally();
  let isGradle = false;
  let waiting: Counts | undefined;
  return {
    read: (line, at) => {
      if (line.startsWith('> Task :')) isGradle = true;
      const summary = /^(\d{1,9}) tests? completed(?:, (\d{1,9}) failed)?(?:, (\d{1,9}) skipped)?$/.exec(line);
      if (summary !== null) {
        const [failed, skipped] = [groupNumber(summary, 2), groupNumber(summary, 3)];
        const counts = countsOf(groupNumber(summary, 1), { failed, skipped });
        if (isGradle) tally.add(counts, at);
        else waiting = waiting === undefined ? counts : addCounts(waiting, counts);
      }
      // A quiet run names no task: only its end shows whose counts these were.
      if (
        waiting !== undefined &&
        /^FAILURE: Build (?:failed with an exception|completed with \d+ failures)\.$/.test(line)
      ) {
        tally.add(waiting, at);
        waiting = undefined;
      }
      const match = /^(\S.* > .+) (PASSED|FAILED|SKIPPED)$/.exec(line);
      if (match?.[1] === undefined || line.startsWith('> ')) return;
      tally.name(match[2] === 'PASSED' ? 'passed' : match[2] === 'FAILED' ? 'failed' : 'skipped', match[1]);
    },
    finish: () => tally.finish('gradle'),
  };
}
