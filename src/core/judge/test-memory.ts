import type { Check, TestCounts } from '../../protocol/index.ts';

/** How one test fared in the newest runs that said something about it: `p` passed, `f` failed, newest last. */
export interface RememberedTest {
  readonly name: string;
  readonly results: string;
}

const keptTests = 200;
const keptResults = 20;
const leastResultsForFlaky = 5;
const flakyShare = 0.2;

/**
 * Adds a run. Only tests that have failed once are remembered. One that is no longer named as failing has passed,
 * provided that the run named all its failures.
 */
export function rememberTests(
  memory: readonly RememberedTest[],
  run: TestCounts,
  before?: TestCounts,
): readonly RememberedTest[] {
  return remember(memory, {
    failing: new Set(run.failing),
    passing: new Set(run.passing),
    passedBefore: new Set(before?.passing),
    namesAll: run.failing.length >= run.failed,
  });
}

/** Adds a try of the gate. Only checks that have been refused once are remembered. */
export function rememberChecks(
  memory: readonly RememberedTest[],
  checks: readonly Pick<Check, 'command' | 'verdict'>[],
): readonly RememberedTest[] {
  const named = (passed: boolean) =>
    new Set(checks.filter(({ verdict }) => (verdict === 'passed') === passed).map(({ command }) => command));
  return remember(memory, { failing: named(false), passing: named(true), passedBefore: new Set(), namesAll: false });
}

/** Tests that changed their mind too often to be believed. */
export function flakyTests(memory: readonly RememberedTest[]): readonly string[] {
  return memory.filter(({ results }) => isFlaky(results)).map(({ name }) => name);
}

/** Tests that failed in the run before the newest and pass now. */
export function recentlyFixed(memory: readonly RememberedTest[]): readonly string[] {
  return memory.filter(({ results }) => results.endsWith('fp')).map(({ name }) => name);
}

/** Tests that passed in the run before the newest and fail now. */
export function recentlyBroken(memory: readonly RememberedTest[]): readonly string[] {
  return memory.filter(({ results }) => results.endsWith('pf')).map(({ name }) => name);
}

/** How often in a row a test passed or failed, up to now. */
export function streakOf({ results }: RememberedTest): {
  readonly result: 'passed' | 'failed';
  readonly length: number;
} {
  const result = results.endsWith('p') ? 'passed' : 'failed';
  return { result, length: /(p*|f*)$/u.exec(results)?.[0].length ?? 0 };
}

interface Run {
  readonly failing: ReadonlySet<string>;
  readonly passing: ReadonlySet<string>;
  /** Tests that the run before named as passing. */
  readonly passedBefore: ReadonlySet<string>;
  readonly namesAll: boolean;
}

function remember(memory: readonly RememberedTest[], run: Run): readonly RememberedTest[] {
  const known = memory.map((test) => {
    const result = resultOf(test.name, run);
    return result === undefined ? test : { ...test, results: `${test.results}${result}`.slice(-keptResults) };
  });
  const names = new Set(memory.map(({ name }) => name));
  const fresh = [...run.failing]
    .filter((name) => !names.has(name))
    .map((name) => ({ name, results: run.passedBefore.has(name) ? 'pf' : 'f' }));
  return [...known, ...fresh].slice(-keptTests);
}

function resultOf(name: string, { failing, passing, namesAll }: Run): 'p' | 'f' | undefined {
  if (failing.has(name)) return 'f';
  return passing.has(name) || namesAll ? 'p' : undefined;
}

function isFlaky(results: string): boolean {
  if (results.length < leastResultsForFlaky) return false;
  const transitions = results.split('').filter((result, index) => index > 0 && result !== results[index - 1]).length;
  return transitions / results.length > flakyShare;
}
