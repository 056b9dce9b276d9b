import type { Check, Proof, Quality, TestCounts } from '../../protocol/index.ts';
import type { CurrentAttempt, GateResult, JudgedIteration } from '../state/attempt.ts';
import type { Loop } from '../state/loop.ts';
import { plainName } from './test-id.ts';
import { flakyTests } from './test-memory.ts';

/** What the checks counted. */
type Measure = Pick<Quality, 'checks' | 'tests'>;

/** The quality of the work at the end of an attempt, from ralphd's own observations. */
export function qualityOf(loop: Loop, { execution, gate }: CurrentAttempt, worked: boolean): Quality {
  const changes = execution?.changes;
  const isKnown = changes?.known === true;
  return {
    ...proofOf(loop, gate),
    worked,
    files: isKnown ? changes.count : null,
    headMoved: isKnown && changes.headMoved,
    ...(changes?.commit === undefined ? {} : { commit: changes.commit }),
  };
}

/**
 * Orders qualities, the better one first: by proof, then checks, then tests, then whether the run worked, then the size
 * of its change, the smaller first. A run that changed nothing comes last.
 */
export function compareQuality(one: Quality, other: Quality): number {
  return compareProof(one, other) || Number(other.worked) - Number(one.worked) || sizeOf(one) - sizeOf(other);
}

/** The same by proof, checks and tests alone: only these justify calling a result better to a person. */
export function compareProof(one: Quality, other: Quality): number {
  return ranks[one.proof] - ranks[other.proof] || compareMeasures(one, other);
}

/** The better of two iterations; the earlier of equals, since repeating a result achieves nothing new. */
export function betterOf(best: JudgedIteration | undefined, next: JudgedIteration): JudgedIteration {
  return best === undefined || compareQuality(next.quality, best.quality) < 0 ? next : best;
}

/** What the checks counted before the first iteration; undefined if there was nothing to count. */
export function baselineMeasure({ verification: { baseline } }: Pick<Loop, 'verification'>): Measure | undefined {
  return baseline && measureOf(baseline, []);
}

const ranks: Readonly<Record<Proof, number>> = { passed: 0, partly: 1, unknown: 2, refused: 3, tampered: 4 };

function proofOf(loop: Loop, gate: GateResult | undefined): Measure & Pick<Quality, 'proof'> {
  if (gate === undefined) return { proof: 'unknown' };
  if (gate.tampered !== undefined && gate.tampered.length > 0) return { proof: 'tampered' };
  const measure = measureOf(gate, flakyTests(loop.tests.memory));
  if (measure === undefined) return { proof: 'unknown' };
  if (gate.verdict === 'passed') return { proof: 'passed', ...measure };
  const before = baselineMeasure(loop);
  const isWorse = before !== undefined && compareMeasures(measure, before) > 0;
  const isNothing = passedChecks(measure) + passedTests(measure) === 0;
  return { proof: isWorse || isNothing ? 'refused' : 'partly', ...measure };
}

/** Unverifiable checks count for nothing, and so does a run of no tests. */
function measureOf(
  { checks, tests }: { readonly checks: readonly Check[]; readonly tests?: TestCounts | undefined },
  flaky: readonly string[],
): Measure | undefined {
  if (checks.every(({ verdict }) => verdict === 'unverifiable')) return undefined;
  const passed = checks.filter(({ verdict }) => verdict === 'passed').length;
  return {
    checks: { passed, total: checks.length },
    ...(tests === undefined || tests.total === 0 ? {} : { tests: countsOf(tests, flaky) }),
  };
}

function countsOf({ passed, failed, failing }: TestCounts, flaky: readonly string[]): NonNullable<Quality['tests']> {
  const unreliable = new Set(flaky.map(plainName));
  const excused = failing.filter((name) => unreliable.has(plainName(name)));
  return { passed, failed, flaky: Math.min(failed, excused.length) };
}

/** More passing tests matter more than fewer failing ones: a test that is gone or did not run has not improved. */
function compareMeasures(one: Measure, other: Measure): number {
  return (
    passedChecks(other) - passedChecks(one) ||
    passedTests(other) - passedTests(one) ||
    failedTests(one) - failedTests(other)
  );
}

function passedChecks({ checks }: Measure): number {
  return checks?.passed ?? 0;
}

/** A flaky test that fails is no evidence about the work: it counts as if it had passed. */
function passedTests({ tests }: Measure): number {
  return tests === undefined ? 0 : tests.passed + tests.flaky;
}

function failedTests({ tests }: Measure): number {
  return tests === undefined ? 0 : tests.failed - tests.flaky;
}

/** Finite, so that sizes can be subtracted: an unknown size counts as more than any number of files. */
const unknownSize = 1e12;
const nothingChanged = 2e12;

function sizeOf({ files, headMoved }: Quality): number {
  if (files === null) return unknownSize;
  return files === 0 && !headMoved ? nothingChanged : files;
}
