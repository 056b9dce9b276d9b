import type { Guard } from '../../protocol/index.ts';
import type { ShownLoop } from '../loop/loop.ts';

/** A reason to look twice at a result. None of them refuses it. The codes are permanent: scripts read them. */
export type Doubt =
  /** Every check passed before the first iteration, and no more tests pass now than then. */
  | { readonly code: 'already_green' }
  /** The checks were never run before the first iteration: nobody knows whether they passed then. */
  | { readonly code: 'no_baseline' }
  /** Tests that were there before the loop and that it changed or deleted. */
  | { readonly code: 'edited_tests'; readonly files: readonly string[] }
  /** Files that affect what the checks run and are not what they were. */
  | { readonly code: 'checks_affected'; readonly files: readonly string[] }
  /** Scripts behind the checks whose exit code is not that of their test. */
  | { readonly code: 'masked_exit_code'; readonly files: readonly string[] }
  | { readonly code: 'fewer_tests'; readonly before: number; readonly now: number };

/** Why somebody should look twice at what the last gate showed. */
export function doubtsOf({ gate, baseline, protectedFiles, base, masked = [] }: Doubtful): readonly Doubt[] {
  const { created } = protectedFiles;
  // What the gate read itself stands above what git told after each run.
  const files = gate?.result.editedTests ?? protectedFiles.changed;
  const edited = files.length === 0 ? [] : [{ code: 'edited_tests', files } as const];
  if (gate === undefined) return edited;
  const { doubts = [], tests, verdict } = gate.result;
  // Strictly protected tests are run without those that came later.
  const around = base === undefined ? created.filter((path) => isAround.test(path)) : [];
  const affected = [...new Set([...doubts, ...around.map((path) => `${path} (new)`)])];
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

/** What else a person should know about the checks, a sentence each, in the order in which it came up. */
export function warningsOf({ warnings = [], baseline, gate }: Warned): readonly string[] {
  return [...new Set([...warnings, ...(baseline?.warnings ?? []), ...(gate?.result.warnings ?? [])])];
}

type Warned = Pick<ShownLoop, 'warnings' | 'baseline' | 'gate'>;

type Doubtful = Pick<ShownLoop, 'gate' | 'baseline' | 'protectedFiles' | 'base' | 'masked'>;

/** New files among the tests that runners take in by their names, wherever they lie. */
const isAround = /(?:^|\/)(?:conftest\.py|(?:spec|rails|test)_helper\.\w+|pytest\.ini|Pest\.php)$/;

/** How many tests ran; a run that was broken before any did says nothing. */
function ranIn(tests: { readonly total: number; readonly skipped: number } | undefined): number | undefined {
  return tests === undefined || tests.total === 0 ? undefined : tests.total - tests.skipped;
}

/** What of the guards there is to see: `guarded` may not change, `watched` is named when it does. */
export function guardNames(guards: readonly Guard[]): {
  readonly guarded: readonly string[];
  readonly watched: readonly string[];
} {
  // The others are for what is not there: names that must not come, and programs from outside.
  const there = guards.filter(({ digest }) => !/^(?:only\b|outside$|none$|gone$)/.test(digest));
  const named = (own: readonly Guard[]) =>
    own.map(({ path, digest }) => /^inside \S+ \S+ (.*)$/s.exec(digest)?.[1] ?? path);
  return {
    guarded: named(there.filter(({ mode }) => mode !== 'report')),
    watched: named(there.filter(({ mode }) => mode === 'report')),
  };
}
