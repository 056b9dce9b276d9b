import type { Changes, Progress } from '../../protocol/index.ts';
import { checkKind } from '../gate/check-kind.ts';
import type { CurrentAttempt } from '../state/attempt.ts';
import type { Loop } from '../state/loop.ts';
import type { KeptMeasure } from '../state/progress.ts';
import { measureName } from './measures.ts';
import { counts, isDecided, missingEvidence, type Sign, type SignKind } from './progress-strategy.ts';
import { compareTests } from './test-change.ts';
import { flakyTests, recentlyFixed } from './test-memory.ts';

/** The weight of each kind of progress; the score is never more than 1. The user's metrics have their own weights. */
const weights: Readonly<Record<Exclude<SignKind, 'metric'>, number>> = {
  changed: 0.3,
  created: 0.2,
  testsFixed: 0.4,
  testsAdded: 0.2,
  gateFixed: 0.5,
  buildFixed: 0.5,
  lintImproved: 0.1,
  coverageUp: 0.2,
  /** The agent's own report: it adds to progress that other signs show, and is not progress by itself. */
  markers: 0.3,
};
const minScore = 0.1;

/**
 * Whether an iteration made progress, and how much. Unchanged green tests are not progress, and if nothing was examined
 * the answer is unknown instead of no.
 */
export function judgeProgress(loop: Loop, current: CurrentAttempt): Progress {
  const { strategy } = loop.config.progress;
  const signs = counts(strategy, [...signsOf(loop, current), ...markerSigns(current)]);
  const evidence = signs.flatMap((sign) => sign.evidence ?? []);
  const score = evidence.length === 0 ? 0 : scoreOf(signs);
  if (score > 0) return { made: true, evidence, score };
  if (evidence.length > 0) return { made: false, evidence: [...evidence, 'too little to count'], score: 0 };
  const missing = [missingEvidence(strategy, current)];
  return isDecided(strategy, current)
    ? { made: false, evidence: missing, score: 0 }
    : { made: null, evidence: missing };
}

function signsOf(loop: Loop, current: CurrentAttempt): readonly Sign[] {
  return [
    ...treeSigns(current.execution?.changes),
    ...checkSigns(loop, current),
    ...testSigns(loop, current),
    ...measureSigns(loop, current),
  ];
}

function scoreOf(signs: readonly Sign[]): number {
  const worth = new Map(
    signs.map(({ kind, metric }) => [metric === undefined ? kind : `metric ${metric.name}`, weightOf(kind, metric)]),
  );
  const sum = [...worth.values()].reduce((total, weight) => total + weight, 0);
  // In hundredths: sums of tenths are not whole in floating point.
  const score = Math.round(sum * 100) / 100;
  return score < minScore ? 0 : Math.min(1, score);
}

function weightOf(kind: SignKind, metric: Sign['metric']): number {
  return kind === 'metric' ? (metric?.weight ?? 0) : weights[kind];
}

function treeSigns(changes: Changes | undefined): Sign[] {
  if (changes === undefined || !changes.known) return [];
  const { headMoved, count, created } = changes;
  const signs: Sign[] = [];
  if (headMoved) signs.push({ kind: 'changed', from: 'tree', evidence: 'HEAD moved' });
  if (count > 0) {
    const kind = created.length >= count ? 'created' : 'changed';
    signs.push({ kind, from: 'tree', evidence: `${count} ${count === 1 ? 'file' : 'files'} changed` });
  }
  if (created.length > 0) signs.push({ kind: 'created', from: 'tree' });
  return signs;
}

/** The gate, or one of its checks, did not pass before and passes now. */
function checkSigns(loop: Loop, { gate, iteration }: CurrentAttempt): Sign[] {
  if (gate === undefined) return [];
  if (gate.verdict === 'passed') {
    return wasRefused(loop, iteration) ? [{ kind: 'gateFixed', from: 'checks', evidence: 'the checks pass now' }] : [];
  }
  const passed = new Set(gate.checks.filter(({ verdict }) => verdict === 'passed').map(({ command }) => command));
  const flaky = flakyTests(loop.tests.checkMemory);
  return recentlyFixed(loop.tests.checkMemory)
    .filter((command) => passed.has(command) && !flaky.includes(command))
    .map((command) => ({
      kind: fixedBy[checkKind(command)],
      from: 'checks',
      evidence: `the check "${command}" passes now`,
    }));
}

const fixedBy = { build: 'buildFixed', lint: 'lintImproved', other: 'gateFixed' } as const;

/** Whether the gate before this iteration's own, or the baseline if there was none, did not pass. */
function wasRefused(loop: Loop, iteration: number): boolean {
  const earlier = loop.verification.completionChecks.filter((check) => check.iteration < iteration).at(-1);
  if (earlier !== undefined) return !earlier.passed && earlier.isUnchanged !== true;
  return loop.verification.baseline !== undefined && loop.verification.baseline.verdict !== 'passed';
}

function testSigns(loop: Loop, { gate, testsBefore }: CurrentAttempt): Sign[] {
  const flaky = flakyTests(loop.tests.memory);
  const { fixed, fewer, added } = compareTests({ before: testsBefore, after: gate?.tests, flaky });
  return [
    ...(fixed > 0 ? [{ kind: 'testsFixed', from: 'tests', evidence: gainText(fixed, fewer) } as const] : []),
    ...(added > 0 ? [{ kind: 'testsAdded', from: 'tests' } as const] : []),
  ];
}

function gainText(fixed: number, fewer: number): string {
  if (fewer > 0) return `${fewer} fewer ${fewer === 1 ? 'test fails' : 'tests fail'}`;
  return fixed === 1 ? '1 test passes that failed before' : `${fixed} tests pass that failed before`;
}

/** The numbers from this iteration's gate that are the best so far. */
function measureSigns({ progress: { measures }, config }: Loop, { gate, iteration }: CurrentAttempt): Sign[] {
  if (gate?.measures === undefined) return [];
  const better = measures.filter(({ betterIn, value, best }) => betterIn === iteration && value === best);
  return better.map((measure) => ({
    kind: improvedBy[measure.of],
    from: 'numbers',
    evidence: `${measureName(measure)}: ${measure.value}, previous best ${previousBest(measure)}`,
    metric: measure.of === 'metric' ? config.progress.metrics.find(({ name }) => name === measure.name) : undefined,
  }));
}

const improvedBy = { lint: 'lintImproved', coverage: 'coverageUp', metric: 'metric' } as const;

function previousBest({ was, best }: KeptMeasure): number {
  return was ?? best;
}

function markerSigns({ execution }: CurrentAttempt): Sign[] {
  return (execution?.markers ?? 0) > 0 ? [{ kind: 'markers', from: 'words' }] : [];
}
