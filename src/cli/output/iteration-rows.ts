import type { IterationFigures } from '../../core/index.ts';
import { shortDuration } from './plain.ts';
import type { Canvas } from './rule-lines.ts';

const shown = 20;

/** The newest iterations of a loop as a table; a dash means unknown. */
export function iterationRows(iterations: readonly IterationFigures[], { paint }: Canvas): readonly string[] {
  if (iterations.length === 0) return [];
  const titles = ['iteration', 'status', 'score', 'checks', 'time', 'tokens', 'cost'];
  const rows = iterations.slice(-shown).map(cells);
  const widths = titles.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const toLine = (row: readonly string[]) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd();
  return ['', paint.dim(toLine(titles)), ...rows.map(toLine)];
}

function cells(figures: IterationFigures): readonly string[] {
  const { iteration, attempt, status, score, verification, durationMs, tokens, costUsd } = figures;
  return [
    attempt > 1 ? `${iteration}.${attempt}` : String(iteration),
    status.replace('_', ' '),
    score === undefined ? '-' : String(score),
    verification,
    shortDuration(durationMs),
    tokens === undefined ? '-' : String(tokens),
    costUsd === undefined ? '-' : `$${costUsd.toFixed(2)}`,
  ];
}
