import type { TestCounts, Verdict } from '../../protocol/index.ts';

/** Two runs of the tests, one after the other. */
export interface TestComparison {
  readonly before: TestCounts | undefined;
  readonly after: TestCounts | undefined;
  readonly verdict: Verdict;
  readonly treeChanged: boolean;
}

/**
 * The streak rises only if the work tree changed and no fewer tests fail than before.
 * A gate that was refused for another reason is no evidence about tests.
 */
export function nextTestFailureStreak(streak: number, { before, after, verdict, treeChanged }: TestComparison): number {
  if (verdict === 'passed') return 0;
  if (after === undefined || after.total === 0) return streak;
  if (after.failed === 0) return 0;
  if (before === undefined) return streak;
  if (after.failed < before.failed) return 0;
  return treeChanged ? streak + 1 : streak;
}
