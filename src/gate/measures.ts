import { readMetrics } from '../core/index.ts';
import type { Measure, MetricConfig } from '../protocol/index.ts';
import { inspectFile } from '../workspace/index.ts';
import type { CheckRun } from './check-run.ts';

const maxFileBytes = 1024 * 1024;
const maxMeasures = 100;

/**
 * Watches the files that metrics are read from. Only files that the checks write count: any other may have been written
 * by the agent.
 */
export function watchMetricFiles(folder: string, metrics: readonly MetricConfig[]): { read(): readonly Measure[] } {
  const ofFiles = metrics.filter(({ file }) => file !== undefined);
  const before = new Map(ofFiles.map(({ file = '' }) => [file, stampOf(folder, file)]));
  return {
    read: () => ofFiles.flatMap((metric) => readFrom(folder, metric, before.get(metric.file ?? ''))),
  };
}

function readFrom(folder: string, metric: MetricConfig, stamp: string | undefined): readonly Measure[] {
  const file = inspectFile(folder, metric.file ?? '', maxFileBytes);
  if (file.kind !== 'file' || file.stamp === stamp) return [];
  return readMetrics(file.parts.map((part) => part.toString('utf8')).join('\n'), [metric]);
}

function stampOf(folder: string, name: string): string | undefined {
  const file = inspectFile(folder, name, 0);
  return file.kind === 'file' ? file.stamp : undefined;
}

/** All measures of a gate; where several checks print the same metric, the last one counts. */
export function measuresOf(runs: readonly CheckRun[], written: readonly Measure[]): readonly Measure[] {
  const all = [...runs.flatMap(({ measures = [] }) => measures), ...written];
  return [...new Map(all.map((each) => [`${each.of} ${each.name} ${each.check ?? ''}`, each])).values()].slice(
    -maxMeasures,
  );
}
