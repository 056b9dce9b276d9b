import type { Changes, Progress, TestCounts } from '../../protocol/index.ts';
import type { CurrentAttempt, Loop } from '../loop/loop.ts';

/**
 * Whether an iteration moved the work on. Unchanged green tests are not progress, and a tree that could not
 * be compared leaves the question open instead of answering no.
 */
export function judgeProgress(loop: Loop, current: CurrentAttempt): Progress {
  const changes = current.execution?.changes;
  const evidence = [...treeEvidence(changes), ...gateEvidence(loop, current)];
  if (evidence.length > 0) return { made: true, evidence };
  if (changes === undefined || !changes.known) return { made: null, evidence: ['the work tree could not be compared'] };
  return { made: false, evidence: ['no file changed, HEAD did not move, no check got better'] };
}

function treeEvidence(changes: Changes | undefined): string[] {
  if (changes === undefined || !changes.known) return [];
  const evidence: string[] = [];
  if (changes.headMoved) evidence.push('HEAD moved');
  if (changes.count > 0) evidence.push(`${changes.count} ${changes.count === 1 ? 'file' : 'files'} changed`);
  return evidence;
}

function gateEvidence(loop: Loop, { gate, iteration, testsBefore }: CurrentAttempt): string[] {
  if (gate === undefined) return [];
  const evidence: string[] = [];
  if (gate.verdict === 'passed' && wasRefused(loop, iteration)) evidence.push('the checks pass now');
  const gained = improvement(testsBefore, gate.tests);
  if (gained > 0) evidence.push(`${gained} fewer ${gained === 1 ? 'test fails' : 'tests fail'}`);
  return evidence;
}

/** Whether the gate before this iteration's own, or the baseline, did not pass. */
function wasRefused(loop: Loop, iteration: number): boolean {
  const earlier = loop.completionChecks.filter((check) => check.iteration < iteration).at(-1);
  if (earlier !== undefined) return !earlier.passed;
  return loop.baseline !== undefined && loop.baseline.verdict !== 'passed';
}

function improvement(before: TestCounts | undefined, after: TestCounts | undefined): number {
  if (before === undefined || after === undefined || after.total === 0) return 0;
  return Math.max(0, before.failed - after.failed);
}
