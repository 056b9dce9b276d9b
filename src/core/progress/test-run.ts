import type { TestCounts } from '../../protocol/index.ts';
import { missingNames, type NamedTest, plainName, testId } from './test-id.ts';

/** A test that failed in a run, with its error from the report. */
export interface FailedTest extends NamedTest {
  readonly error?: string | undefined;
}

/** The results of one run of the tests. */
export interface RunReading {
  /** The failed tests, each once. */
  readonly failed: readonly FailedTest[];
  /** Whether a test passed or failed; `undefined` if the run does not show it. */
  resultOf(test: NamedTest, last: 'p' | 'f'): 'p' | 'f' | undefined;
  /** Whether a test that fails now had passed in the run before. */
  passedBefore(test: NamedTest): boolean;
}

/** Compares a run with the one before. Most runners name only failures: other tests need more evidence. */
export function readRun(run: TestCounts, before: TestCounts | undefined): RunReading {
  const failed = failedIn(run);
  const failing = new Set(failed.map(testId));
  const failingNames = new Set(run.failing.map(plainName));
  const placeless = new Set(failed.filter(({ file }) => file === undefined).map(testId));
  const passing = new Set((run.passing ?? []).map(plainName).filter((name) => !failingNames.has(name)));
  const earlier = before && {
    failing: new Set(before.failing.map(plainName)),
    passing: new Set(before.passing?.map(plainName)),
  };
  const gone = noLongerFailing(run, before, passing);

  const fails = (test: NamedTest) => {
    const name = plainName(test.name);
    if (test.file === undefined) return failingNames.has(name);
    return failing.has(testId(test)) || placeless.has(name);
  };
  return {
    failed,
    resultOf: (test, last) => {
      const name = plainName(test.name);
      if (fails(test)) return 'f';
      if (passing.has(name)) return 'p';
      if (!namesItsFailures(run)) return undefined;
      if (last === 'p') return run.total >= (before?.total ?? 0) ? 'p' : undefined;
      return gone.mustHavePassed && gone.names.has(name) ? 'p' : undefined;
    },
    passedBefore: ({ name }) => {
      if (before === undefined || earlier === undefined) return false;
      const plain = plainName(name);
      if (earlier.passing.has(plain)) return true;
      const isSameSuite = run.total === before.total && run.skipped === before.skipped;
      return isSameSuite && namesItsFailures(before) && !earlier.failing.has(plain);
    },
  };
}

function namesItsFailures({ failing, failed }: TestCounts): boolean {
  return failing.length >= failed;
}

function failedIn({ failing, failures = [] }: TestCounts): readonly FailedTest[] {
  const described = new Set(failures.map(({ name }) => name));
  const all: FailedTest[] = [...failures, ...failing.filter((name) => !described.has(name)).map((name) => ({ name }))];
  return [...new Map(all.map((test) => [testId(test), test])).values()];
}

/**
 * The tests that failed before and are no longer named. Deleted and skipped ones are among them: they have passed only
 * if at least as many additional tests passed, or replaced them among the failing ones.
 */
function noLongerFailing(
  run: TestCounts,
  before: TestCounts | undefined,
  passing: ReadonlySet<string>,
): { readonly names: ReadonlySet<string>; readonly mustHavePassed: boolean } {
  if (before === undefined) return { names: new Set(), mustHavePassed: false };
  const better = missingNames(before.failing, run.failing);
  const broken = run.total < before.total ? 0 : missingNames(run.failing, before.failing).length;
  return {
    names: new Set(better.filter((name) => !passing.has(name))),
    mustHavePassed: better.length <= run.passed - before.passed + broken,
  };
}
