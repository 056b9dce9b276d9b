import { expect, test } from 'vitest';
import {
  expositionText,
  foldMetrics,
  type MetricFamily,
  metricsOf,
  noJournalMetrics,
  replay,
} from '../../src/core/index.ts';
import { parseExposition } from '../../src/core/testing/parse-exposition.ts';
import type { FactData, FactType, RecordedFact } from '../../src/protocol/index.ts';
import { simulateLoop } from './simulate.ts';

function dataOf<Type extends FactType>(facts: readonly RecordedFact[], type: Type): readonly FactData<Type>[] {
  return facts.flatMap((fact) => (fact.type === type ? [fact.data as FactData<Type>] : []));
}

/** The metrics, counted from the facts without the code that is judged. */
function countedFrom(facts: readonly RecordedFact[]): Readonly<Record<string, number>> {
  const finished = dataOf(facts, 'iteration.finished');
  const count = (holds: (data: (typeof finished)[number]) => boolean) => finished.filter(holds).length;
  return {
    iterations: finished.length,
    iterations_success: count(({ status }) => status === 'completed'),
    iterations_failed: count(({ status }) => status === 'failed' || status === 'timed_out'),
    iterations_with_progress: count(({ status, progress }) => status === 'completed' && progress.made === true),
    reboots: dataOf(facts, 'reboot.finished').filter(({ ok }) => ok).length,
    iteration_duration_seconds: finished.length,
  };
}

function valueOf(families: readonly MetricFamily[], name: string): number | undefined {
  const family = families.find((each) => each.name === name);
  if (family?.kind !== 'histogram') return family?.samples[0]?.value;
  return family.samples[0]?.value.counts.reduce((sum, each) => sum + each, 0);
}

test('B053 B054: the metrics of forty simulated loops are what their facts say, in valid texts', async () => {
  const sums: Record<string, number> = {};
  for (let seed = 1; seed <= 40; seed += 1) {
    const facts = (await simulateLoop({ seed })).world.disk;
    const loop = replay(facts);
    const journal = facts.reduce(foldMetrics, noJournalMetrics);
    const families = metricsOf([{ loop, shownStatus: loop.status, journal, isEncrypted: false }]);
    const counted = countedFrom(facts);
    const named = Object.fromEntries(Object.keys(counted).map((name) => [name, valueOf(families, name)]));
    expect(named, `seed ${seed}`).toEqual(counted);
    for (const [name, value] of Object.entries(counted)) sums[name] = (sums[name] ?? 0) + value;
    const runs = dataOf(facts, 'agent.finished').length + dataOf(facts, 'agent.started').length;
    expect(valueOf(families, 'sessions_created'), `seed ${seed}`).toBeLessThanOrEqual(runs);
    for (const format of ['prometheus', 'openmetrics'] as const)
      parseExposition(expositionText(families, format), format);
  }
  // Each of them happened.
  expect(Object.entries(sums).filter(([, value]) => value === 0)).toEqual([]);
});
