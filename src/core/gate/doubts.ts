import type { Loop } from '../state/loop.ts';

/** A reason to review a result; none of them refuses it. The codes are permanent, because scripts read them. */
export type Doubt =
  /** Every check passed before the first iteration, and no more tests pass now. */
  | { readonly code: 'already_green' }
  /** The checks did not run before the first iteration: they may have passed even then. */
  | { readonly code: 'no_baseline' }
  /** Tests that existed before the loop and were changed or deleted. */
  | { readonly code: 'edited_tests'; readonly files: readonly string[] }
  /** Changed files that affect what the checks run. */
  | { readonly code: 'checks_affected'; readonly files: readonly string[] }
  /** Scripts run by the checks whose exit code is not that of their test. */
  | { readonly code: 'masked_exit_code'; readonly files: readonly string[] }
  | { readonly code: 'fewer_tests'; readonly before: number; readonly now: number };

/** The doubts about the result of the last gate. */
export function doubtsOf({
  verification: { latest: gate, baseline },
  gate: { protectedFiles, base, masked = [] },
}: Doubtful): readonly Doubt[] {
  const { created } = protectedFiles;
  // The gate's own reading takes precedence over what git reported after each run.
  const files = gate?.result.editedTests ?? protectedFiles.changed;
  const edited = files.length === 0 ? [] : [{ code: 'edited_tests', files } as const];
  if (gate === undefined) return edited;
  const { doubts = [], tests, verdict } = gate.result;
  // Under strict protection the checks run without files that were added to the tests.
  const helpers = base === undefined ? created.filter((path) => isTestHelper.test(path)) : [];
  const affected = [...new Set([...doubts, ...helpers.map((path) => `${path} (new)`)])];
  const before = ranIn(baseline?.tests);
  const now = ranIn(tests);
  const hasPassed = verdict === 'passed';
  const countsMore = tests !== undefined && tests.passed > (baseline?.tests?.passed ?? 0);
  return [
    ...(hasPassed && baseline?.verdict === 'passed' && !countsMore ? [{ code: 'already_green' } as const] : []),
    ...(hasPassed && baseline === undefined ? [{ code: 'no_baseline' } as const] : []),
    ...edited,
    ...(affected.length === 0 ? [] : [{ code: 'checks_affected', files: affected } as const]),
    ...(hasPassed && masked.length > 0 ? [{ code: 'masked_exit_code', files: masked } as const] : []),
    ...(before !== undefined && now !== undefined && now < before
      ? [{ code: 'fewer_tests', before, now } as const]
      : []),
  ];
}

/** Everything else that a person should know about the checks, one sentence each, in order of appearance. */
export function warningsOf({
  origin: { warnings = [] },
  verification: { baseline, latest: gate },
}: Warned): readonly string[] {
  return [...new Set([...warnings, ...(baseline?.warnings ?? []), ...(gate?.result.warnings ?? [])])];
}

type Warned = Pick<Loop, 'origin' | 'verification'>;

type Doubtful = Pick<Loop, 'verification' | 'gate'>;

/** Files that test runners load by name, in whatever folder. */
const isTestHelper = /(?:^|\/)(?:conftest\.py|(?:spec|rails|test)_helper\.\w+|pytest\.ini|Pest\.php)$/;

/** How many tests ran; undefined for a run that broke before the first test. */
function ranIn(tests: { readonly total: number; readonly skipped: number } | undefined): number | undefined {
  return tests === undefined || tests.total === 0 ? undefined : tests.total - tests.skipped;
}
