import type { Changes, Progress } from '../../protocol/index.ts';
import type { CurrentAttempt } from '../loop/attempt.ts';
import type { Loop } from '../loop/loop.ts';
import { compareTests } from './test-change.ts';
import { flakyTests, recentlyFixed } from './test-memory.ts';

/** What each kind of progress is worth; together never more than 1. */
const weights = {
  changed: 0.3,
  created: 0.2,
  testsFixed: 0.4,
  testsAdded: 0.2,
  gateFixed: 0.5,
  /** The agent's own word: it adds to progress that others show, and makes none. */
  markers: 0.3,
} as const;
const leastScore = 0.1;

type Kind = keyof typeof weights;

/** One thing that an iteration showed, in words; some count for the score alone. */
interface Sign {
  readonly kind: Kind;
  readonly evidence?: string;
}

/**
 * Whether an iteration moved the work on, and how much. Unchanged green tests are not progress, and a tree that could
 * not be compared leaves the question open instead of answering no.
 */
export function judgeProgress(loop: Loop, current: CurrentAttempt): Progress {
  const changes = current.execution?.changes;
  const signs = [...treeSigns(changes), ...checkSigns(loop, current), ...testSigns(loop, current)];
  const evidence = signs.flatMap((sign) => sign.evidence ?? []);
  if (evidence.length > 0) return { made: true, evidence, score: scoreOf([...signs, ...markerSigns(current)]) };
  if (changes === undefined || !changes.known) return { made: null, evidence: ['the work tree could not be compared'] };
  return { made: false, evidence: ['no file changed, HEAD did not move, no check got better'], score: 0 };
}

function scoreOf(signs: readonly Sign[]): number {
  const kinds = new Set(signs.map(({ kind }) => kind));
  const sum = [...kinds].reduce((total, kind) => total + weights[kind], 0);
  // In hundredths: sums of tenths are not whole in floating point.
  return sum < leastScore ? 0 : Math.min(1, Math.round(sum * 100) / 100);
}

function treeSigns(changes: Changes | undefined): Sign[] {
  if (changes === undefined || !changes.known) return [];
  const { headMoved, count, created } = changes;
  const signs: Sign[] = [];
  if (headMoved) signs.push({ kind: 'changed', evidence: 'HEAD moved' });
  if (count > 0) {
    const kind = created.length >= count ? 'created' : 'changed';
    signs.push({ kind, evidence: `${count} ${count === 1 ? 'file' : 'files'} changed` });
  }
  if (created.length > 0) signs.push({ kind: 'created' });
  return signs;
}

/** The gate passes that did not, or one of its checks does. */
function checkSigns(loop: Loop, { gate, iteration }: CurrentAttempt): Sign[] {
  if (gate === undefined) return [];
  if (gate.verdict === 'passed') {
    return wasRefused(loop, iteration) ? [{ kind: 'gateFixed', evidence: 'the checks pass now' }] : [];
  }
  const passed = new Set(gate.checks.filter(({ verdict }) => verdict === 'passed').map(({ command }) => command));
  const flaky = flakyTests(loop.checkMemory);
  return recentlyFixed(loop.checkMemory)
    .filter((command) => passed.has(command) && !flaky.includes(command))
    .map((command) => ({ kind: 'gateFixed', evidence: `the check "${command}" passes now` }));
}

/** Whether the gate before this iteration's own, or the baseline, did not pass. */
function wasRefused(loop: Loop, iteration: number): boolean {
  const earlier = loop.completionChecks.filter((check) => check.iteration < iteration).at(-1);
  if (earlier !== undefined) return !earlier.passed;
  return loop.baseline !== undefined && loop.baseline.verdict !== 'passed';
}

function testSigns(loop: Loop, { gate, testsBefore }: CurrentAttempt): Sign[] {
  const flaky = flakyTests(loop.testMemory);
  const { fixed, fewer, added } = compareTests({ before: testsBefore, after: gate?.tests, flaky });
  return [
    ...(fixed > 0 ? [{ kind: 'testsFixed', evidence: gainText(fixed, fewer) } as const] : []),
    ...(added > 0 ? [{ kind: 'testsAdded' } as const] : []),
  ];
}

function gainText(fixed: number, fewer: number): string {
  if (fewer > 0) return `${fewer} fewer ${fewer === 1 ? 'test fails' : 'tests fail'}`;
  return fixed === 1 ? '1 test passes that failed before' : `${fixed} tests pass that failed before`;
}

function markerSigns({ execution }: CurrentAttempt): Sign[] {
  return (execution?.markers ?? 0) > 0 ? [{ kind: 'markers' }] : [];
}
