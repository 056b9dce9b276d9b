import { readMetrics } from '../core/index.ts';
import type { Measure, MetricConfig } from '../protocol/index.ts';
import { lookInside } from '../workspace/index.ts';
import type { CheckRun } from './check-run.ts';

const mostFileBytes = 1024 * 1024;
const mostMeasures = 100;

/**
 * Watches the files that metrics are read from. Only what the checks wrote counts: a file that was there before and
 * that they left alone was written by somebody else, the agent for one.
 */
export function watchMetricFiles(folder: string, metrics: readonly MetricConfig[]): { read(): readonly Measure[] } {
  const ofFiles = metrics.filter(({ file }) => file !== undefined);
  const before = new Map(ofFiles.map(({ file = '' }) => [file, stampOf(folder, file)]));
  return {
    read: () => ofFiles.flatMap((metric) => readFrom(folder, metric, before.get(metric.file ?? ''))),
  };
}

function readFrom(folder: string, metric: MetricConfig, stamp: string | undefined): readonly Measure[] {
  const seen = lookInside(folder, metric.file ?? '', mostFileBytes);
  if (seen.kind !== 'file' || seen.stamp === stamp) return [];
  return readMetrics(seen.parts.map((part) => part.toString('utf8')).join('\n'), [metric]);
}

function stampOf(folder: string, file: string): string | undefined {
  const seen = lookInside(folder, file, 0);
  return seen.kind === 'file' ? seen.stamp : undefined;
}

/** All numbers that a gate gave; where several checks print the same metric, the last one counts. */
export function measuresOf(runs: readonly CheckRun[], written: readonly Measure[]): readonly Measure[] {
  const all = [...runs.flatMap(({ measures = [] }) => measures), ...written];
  return [...new Map(all.map((each) => [`${each.of} ${each.name} ${each.check ?? ''}`, each])).values()].slice(
    -mostMeasures,
  );
}
