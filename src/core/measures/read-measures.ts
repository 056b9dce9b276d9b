import { scrub } from '../../base/index.ts';
import type { Measure, MetricConfig } from '../../protocol/index.ts';
import { createNumberReader } from '../judge/patterns.ts';
import { readCoverage } from './coverage.ts';
import { readLint } from './lint.ts';

const longestLine = 1_000;
const longestSummary = 300;
const mostOfACheck = 20;

/** Which of the numbers in an output are wanted. */
export interface MeasureWish {
  /** The command that printed it. */
  readonly check: string;
  /** Whether lint and coverage are looked for. */
  readonly known: boolean;
  readonly metrics: readonly MetricConfig[];
}

/** The numbers that a check printed: problems that linters count, coverage, and the user's own metrics. */
export function readMeasures(output: string, { check, known, metrics }: MeasureWish): readonly Measure[] {
  const lines = linesOf(output);
  const summaries = known ? lines.filter(({ length }) => length <= longestSummary).map((line) => line.trim()) : [];
  const ofCheck = [...lintIn(summaries), ...coverageIn(summaries)].slice(0, mostOfACheck);
  return [...ofCheck.map((measure) => ({ ...measure, check: headOf(check) })), ...metricsIn(lines, metrics)];
}

/** The user's own numbers in a text: of each metric the one on the last line that has it. */
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

/** The problems that each tool counted, added up over the packages that it looked at. */
function lintIn(lines: readonly string[]): readonly Measure[] {
  const sums = new Map<string, number>();
  for (const found of lines.map(readLint)) {
    if (found !== undefined) sums.set(found.tool, (sums.get(found.tool) ?? 0) + found.problems);
  }
  return [...sums].map(([name, value]) => ({ of: 'lint', name, value }));
}

/** Coverage is not added up: where one tool sums up several times, nobody can tell which is meant. */
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
    .map((line) => (line.length > longestLine ? line.slice(0, longestLine) : line));
}

function headOf(command: string): string {
  return command.length <= 200 ? command : `${command.slice(0, 199)}…`;
}
