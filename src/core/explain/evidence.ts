import { summariseTests } from '../progress/test-summary.ts';
import type { Loop } from '../state/loop.ts';
import type { Evidence } from './explanation.ts';

/** Guarded files that had been changed when the checks last ran. */
export function tamperedFiles({ verification: { latest } }: Pick<Loop, 'verification'>): readonly Evidence[] {
  const { tampered = [] } = latest?.result ?? {};
  return tampered.length === 0 ? [] : [{ kind: 'tampered', files: tampered }];
}

/** The newest test counts, and the tests that stand out: just broken, failing for long, or flaky. */
export function testEvidence(loop: Loop): readonly Evidence[] {
  const { broken = [], stubborn = [], flaky = [] } = summariseTests(loop) ?? {};
  const steady = broken.filter((name) => !flaky.includes(name));
  return [
    ...testCounts(loop),
    ...(steady.length === 0 ? [] : [{ kind: 'broken_tests', names: steady } as const]),
    ...(stubborn.length === 0 ? [] : [{ kind: 'stubborn_tests', tests: stubborn } as const]),
    ...flakyTests(loop),
  ];
}

/** The newest test counts. */
export function testCounts({ tests: { latest } }: Loop): readonly Evidence[] {
  if (latest === undefined) return [];
  const { passed, total, failed, framework } = latest;
  return [{ kind: 'tests', passed, total, failed, framework }];
}

/** Tests that prove nothing, whatever they report now. */
export function flakyTests(loop: Loop): readonly Evidence[] {
  const { flaky = [] } = summariseTests(loop) ?? {};
  return flaky.length === 0 ? [] : [{ kind: 'flaky_tests', names: flaky }];
}

/** What the latest run was not allowed to do. */
export function deniedTools({ signals: { denied }, config }: Loop): readonly Evidence[] {
  return denied === undefined ? [] : [{ kind: 'denied', agent: config.agent, denied }];
}

/** How much was done. */
export function workOf({ position: { finished }, totals, progress }: Loop): Evidence {
  return { kind: 'work', finished, failed: totals.stats.failedIterations, lastProgress: progress.lastIteration };
}
