import { scrub } from '../../base/index.ts';
import type { Measure, MetricConfig } from '../../protocol/index.ts';
import { readCoverage } from './coverage.ts';
import { readLint } from './lint.ts';
import { createNumberReader } from './patterns.ts';

const maxLineLength = 1_000;
const maxSummaryLength = 300;
const maxOfACheck = 20;

/** Which numbers to read from an output. */
export interface MeasureRequest {
  /** The command that printed it. */
  readonly check: string;
  /** Whether to read lint problems and coverage. */
  readonly known: boolean;
  readonly metrics: readonly MetricConfig[];
}

/** The numbers that a check printed: problems that linters count, coverage, and the user's own metrics. */
export function readMeasures(output: string, { check, known, metrics }: MeasureRequest): readonly Measure[] {
  const lines = linesOf(output);
  const summaries = known ? lines.filter(({ length }) => length <= maxSummaryLength).map((line) => line.trim()) : [];
  const ofCheck = [...lintIn(summaries), ...coverageIn(summaries)].slice(0, maxOfACheck);
  return [...ofCheck.map((measure) => ({ ...measure, check: headOf(check) })), ...metricsIn(lines, metrics)];
}

/** The user's own metrics in a text: each one's value on the last line that has it. */
export function readMetrics(text: string, metrics: readonly MetricConfig[]): readonly Measure[] {
  return metrics.length === 0 ? [] : metricsIn(linesOf(text), metrics);
}

function metricsIn(lines: readonly string[], metrics: readonly MetricConfig[]): readonly Measure[] {
  return metrics.flatMap(({ name, pattern }) => {
    const read = createNumberReader(pattern);
    for (const line of lines.toReversed()) {
      const value = read?.(line);
      if (value !== undefined) return [{ of: 'metric', name, value } as const];
    }
    return [];
  });
}

/** The problems that each tool counted, added up over its packages. */
function lintIn(lines: readonly string[]): readonly Measure[] {
  const sums = new Map<string, number>();
  for (const found of lines.map(readLint)) {
    if (found !== undefined) sums.set(found.tool, (sums.get(found.tool) ?? 0) + found.problems);
  }
  return [...sums].map(([name, value]) => ({ of: 'lint', name, value }));
}

/** Coverage is not added up: if one tool prints several totals, there is no way to know which one counts. */
function coverageIn(lines: readonly string[]): readonly Measure[] {
  const shares = new Map<string, Set<number>>();
  for (const found of lines.map(readCoverage)) {
    if (found !== undefined) shares.set(found.of, (shares.get(found.of) ?? new Set()).add(found.percent));
  }
  return [...shares].flatMap(([name, [value, ...others]]) =>
    value === undefined || others.length > 0 ? [] : [{ of: 'coverage', name, value } as const],
  );
}

function linesOf(text: string): readonly string[] {
  return scrub(text)
    .split('\n')
    .map((line) => (line.length > maxLineLength ? line.slice(0, maxLineLength) : line));
}

function headOf(command: string): string {
  return command.length <= 200 ? command : `${command.slice(0, 199)}…`;
}
