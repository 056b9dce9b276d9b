import type { TestCounts } from '../../protocol/index.ts';

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
export function rememberTests(memory: readonly RememberedTest[], run: TestCounts): readonly RememberedTest[] {
  const failing = new Set(run.failing);
  const passing = new Set(run.passing);
  const namesAll = run.failing.length >= run.failed;
  const known = memory.map((test) => {
    const result = resultOf(test.name, { failing, passing, namesAll });
    return result === undefined ? test : { ...test, results: `${test.results}${result}`.slice(-keptResults) };
  });
  const names = new Set(memory.map(({ name }) => name));
  const fresh = [...failing].filter((name) => !names.has(name)).map((name) => ({ name, results: 'f' }));
  return [...known, ...fresh].slice(-keptTests);
}

/** Tests that changed their mind too often to be believed. */
export function flakyTests(memory: readonly RememberedTest[]): readonly string[] {
  return memory.filter(({ results }) => isFlaky(results)).map(({ name }) => name);
}

/** Tests that failed in the run before the newest and pass now. */
export function recentlyFixed(memory: readonly RememberedTest[]): readonly string[] {
  return memory.filter(({ results }) => results.endsWith('fp')).map(({ name }) => name);
}

interface Run {
  readonly failing: ReadonlySet<string>;
  readonly passing: ReadonlySet<string>;
  readonly namesAll: boolean;
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
