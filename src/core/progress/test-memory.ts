import type { Check, TestCounts } from '../../protocol/index.ts';
import type { Remembered, RememberedTest } from '../state/tests.ts';
import { plainName, testId } from './test-id.ts';
import { type FailedTest, readRun } from './test-run.ts';

const maxTests = 1_000;
const maxResults = 20;
const maxErrors = 50;
/** The whole memory is in every snapshot. */
const maxChars = 200_000;
const charsPerRow = 80;
const minResultsForFlaky = 5;
const flakyShare = 0.2;

/**
 * Adds a run. Only tests that have failed once are remembered: one that always passed adds no information. The list is
 * in the order in which it is pruned: first those that were not reported for the longest time, failing ones last.
 */
export function rememberTests(
  memory: readonly RememberedTest[],
  run: TestCounts,
  before?: TestCounts,
): readonly RememberedTest[] {
  // A run without tests is no evidence about any test.
  if (run.total === 0) return memory.map((test) => ({ ...test, untold: true as const }));
  const reading = readRun(run, before);
  const claims = createClaims(reading.failed);
  const known = memory.map((test) => {
    const result = reading.resultOf(test, lastOf(test));
    return result === undefined ? { ...test, untold: true as const } : withResult(test, result, claims.take(test));
  });
  const fresh = claims
    .left()
    .map((test) => withResult({ ...placed(test), results: reading.passedBefore(test) ? 'p' : '' }, 'f', test));
  const inOrder = [
    ...known.filter(({ untold }) => untold === true),
    ...known.filter((test) => test.untold === undefined && lastOf(test) === 'p'),
    ...known.filter((test) => test.untold === undefined && lastOf(test) === 'f'),
    ...fresh,
  ];
  return pruned(inOrder);
}

/** The failures of a run, each of which belongs to one remembered test. */
function createClaims(failed: readonly FailedTest[]) {
  const open = new Map(failed.map((test) => [testId(test), test]));
  const byName = new Map(failed.map((test) => [plainName(test.name), testId(test)]));
  return {
    take: (test: RememberedTest): FailedTest | undefined => {
      const name = plainName(test.name);
      // A test without a file may match one with a file, and vice versa.
      const keys = [testId(test), name, ...(test.file === undefined ? [byName.get(name) ?? name] : [])];
      const key = keys.find((each) => open.has(each));
      if (key === undefined) return undefined;
      const failure = open.get(key);
      open.delete(key);
      return failure;
    },
    left: () => [...open.values()],
  };
}

function withResult(test: RememberedTest, result: 'p' | 'f', failure: FailedTest | undefined): RememberedTest {
  const { untold: _untold, ...rest } = test;
  const { passes, failures } = totalsOf(test);
  return {
    ...rest,
    ...(failure === undefined ? {} : { ...placed({ ...failure, name: test.name }) }),
    ...(failure?.error === undefined ? {} : { error: failure.error }),
    results: `${test.results}${result}`.slice(-maxResults),
    passes: passes + (result === 'p' ? 1 : 0),
    failures: failures + (result === 'f' ? 1 : 0),
  };
}

function placed({ name, file }: FailedTest): { readonly name: string; readonly file?: string } {
  return file === undefined ? { name } : { name, file };
}

/** Drops what exceeds the limits from the front; errors first, and then whole tests. */
function pruned(memory: readonly RememberedTest[]): readonly RememberedTest[] {
  const kept: RememberedTest[] = [];
  let [errors, chars] = [0, 0];
  for (const test of memory.slice(-maxTests).toReversed()) {
    const { error: _error, ...rest } = test;
    const row: RememberedTest = errors < maxErrors ? test : rest;
    if (row.error !== undefined) errors += 1;
    chars += row.name.length + (row.file?.length ?? 0) + (row.error?.length ?? 0) + row.results.length + charsPerRow;
    if (chars > maxChars) break;
    kept.push(row);
  }
  return kept.toReversed();
}

/** Adds one run of the gate. Only checks that have failed at least once are remembered. */
export function rememberChecks(
  memory: readonly Remembered[],
  checks: readonly Pick<Check, 'command' | 'verdict'>[],
): readonly Remembered[] {
  const passed = new Map(checks.map(({ command, verdict }) => [command, verdict === 'passed']));
  const known = memory.map((check) => {
    const result = passed.get(check.name);
    return result === undefined
      ? check
      : { ...check, results: `${check.results}${result ? 'p' : 'f'}`.slice(-maxResults) };
  });
  const names = new Set(memory.map(({ name }) => name));
  const fresh = [...passed].filter(([name, isPassed]) => !isPassed && !names.has(name));
  return [...known, ...fresh.map(([name]) => ({ name, results: 'f' }))].slice(-maxTests);
}

/** Tests whose result changed too often to be reliable. */
export function flakyTests(memory: readonly Remembered[]): readonly string[] {
  return memory.filter(isFlaky).map(({ name }) => name);
}

/** Tests that failed in the run before the newest and pass now. */
export function recentlyFixed(memory: readonly RememberedTest[]): readonly string[] {
  return memory.filter(({ results, untold }) => untold === undefined && results.endsWith('fp')).map(({ name }) => name);
}

/** Tests that passed in the run before the newest and fail now. */
export function recentlyBroken(memory: readonly RememberedTest[]): readonly string[] {
  return memory.filter(({ results, untold }) => untold === undefined && results.endsWith('pf')).map(({ name }) => name);
}

/** How often in a row a test has passed or failed. */
export function streakOf(test: RememberedTest): { readonly result: 'passed' | 'failed'; readonly length: number } {
  const last = lastOf(test);
  const { passes, failures } = totalsOf(test);
  const [same, other] = last === 'p' ? [passes, failures] : [failures, passes];
  const shown = /(p*|f*)$/u.exec(test.results)?.[0].length ?? 0;
  return { result: last === 'p' ? 'passed' : 'failed', length: other === 0 ? same : shown };
}

/** How often a test passed and failed in all. */
export function totalsOf({ results, passes, failures }: RememberedTest): {
  readonly passes: number;
  readonly failures: number;
} {
  const passed = results.replaceAll('f', '').length;
  return { passes: passes ?? passed, failures: failures ?? results.length - passed };
}

/** Whether more than a fifth of at least five results are changes. */
export function isFlaky({ results }: Remembered): boolean {
  if (results.length < minResultsForFlaky) return false;
  const transitions = results.split('').filter((result, index) => index > 0 && result !== results[index - 1]).length;
  return transitions / results.length > flakyShare;
}

function lastOf({ results }: Remembered): 'p' | 'f' {
  return results.endsWith('p') ? 'p' : 'f';
}
