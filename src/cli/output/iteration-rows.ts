import type { IterationFigures } from '../../core/index.ts';
import { columnLines } from './columns.ts';
import { shortDuration } from './plain.ts';
import type { Canvas } from './rule-lines.ts';

const shown = 20;

/** The newest iterations of a loop as a table; a dash means unknown. */
export function iterationRows(iterations: readonly IterationFigures[], { paint, width }: Canvas): readonly string[] {
  if (iterations.length === 0) return [];
  const rows = iterations.slice(-shown).map(cells);
  const columns = columnTitles.map(([title, rank], column) => ({
    title,
    rank,
    cells: rows.map((row) => row[column] ?? ''),
  }));
  const [heading = '', ...lines] = columnLines(columns, width - 2);
  return ['', paint.dim(`  ${heading}`), ...lines.map((line) => `  ${line}`)];
}

/** In the order in which they stand; those with a higher number are left out first where there is no room. */
const columnTitles = [
  ['iteration', 0],
  ['status', 0],
  ['score', 4],
  ['checks', 1],
  ['time', 2],
  ['tokens', 5],
  ['cost', 3],
] as const;

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
