import type { Check, Proof, Quality, TestCounts } from '../../protocol/index.ts';
import type { CurrentAttempt, GateResult, JudgedIteration } from '../loop/attempt.ts';
import type { Loop } from '../loop/loop.ts';
import { plainName } from './test-id.ts';
import { flakyTests } from './test-memory.ts';

/** What the checks counted. */
type Measure = Pick<Quality, 'checks' | 'tests'>;

/** How good the work is at the end of an attempt, from what ralphd saw itself. */
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
 * Orders qualities, the better one first: what is proven, then checks, then tests, then whether the run worked, then
 * how little it changed. One that changed nothing comes after those that did something.
 */
export function compareQuality(one: Quality, other: Quality): number {
  return compareProof(one, other) || Number(other.worked) - Number(one.worked) || sizeOf(one) - sizeOf(other);
}

/** The same by proof, checks and tests alone: what a person can be told to be better. */
export function compareProof(one: Quality, other: Quality): number {
  return ranks[one.proof] - ranks[other.proof] || compareMeasures(one, other);
}

/** The better of two iterations. Of equals it is the earlier: to repeat a result is not to have achieved it. */
export function betterOf(best: JudgedIteration | undefined, next: JudgedIteration): JudgedIteration {
  return best === undefined || compareQuality(next.quality, best.quality) < 0 ? next : best;
}

/** What the checks counted before the first iteration; nothing where there was nothing to count. */
export function baselineMeasure({ baseline }: Pick<Loop, 'baseline'>): Measure | undefined {
  return baseline && measureOf(baseline, []);
}

const ranks: Readonly<Record<Proof, number>> = { passed: 0, partly: 1, unknown: 2, refused: 3, tampered: 4 };

function proofOf(loop: Loop, gate: GateResult | undefined): Measure & Pick<Quality, 'proof'> {
  if (gate === undefined) return { proof: 'unknown' };
  if (gate.tampered !== undefined && gate.tampered.length > 0) return { proof: 'tampered' };
  const measure = measureOf(gate, flakyTests(loop.testMemory));
  if (measure === undefined) return { proof: 'unknown' };
  if (gate.verdict === 'passed') return { proof: 'passed', ...measure };
  const before = baselineMeasure(loop);
  const isWorse = before !== undefined && compareMeasures(measure, before) > 0;
  const isNothing = passedChecks(measure) + passedTests(measure) === 0;
  return { proof: isWorse || isNothing ? 'refused' : 'partly', ...measure };
}

/** A check that could not be believed counts for nothing, and so does a run of no tests. */
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
  const unbelieved = new Set(flaky.map(plainName));
  const excused = failing.filter((name) => unbelieved.has(plainName(name)));
  return { passed, failed, flaky: Math.min(failed, excused.length) };
}

/** More passing tests come before fewer failing ones: a test that is gone or not run did not get better. */
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

/** A flaky test that fails says nothing about the work: it counts as if it had passed. */
function passedTests({ tests }: Measure): number {
  return tests === undefined ? 0 : tests.passed + tests.flaky;
}

function failedTests({ tests }: Measure): number {
  return tests === undefined ? 0 : tests.failed - tests.flaky;
}

/** Finite, so that sizes can be subtracted: what is not known counts as more than any number of files. */
const unknownSize = 1e12;
const nothingChanged = 2e12;

function sizeOf({ files, headMoved }: Quality): number {
  if (files === null) return unknownSize;
  return files === 0 && !headMoved ? nothingChanged : files;
}
