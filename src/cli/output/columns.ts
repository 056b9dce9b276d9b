import { columnsOf, keepWords, padAfter, padBefore } from '../../base/index.ts';

/** One column of a table for a terminal. */
export interface TextColumn {
  readonly title: string;
  readonly cells: readonly string[];
  readonly isRight?: true;
  /** Columns with a higher number are dropped first if there is no room. */
  readonly rank: number;
  /** Truncated if there is no room; at most one column per table. */
  readonly isFlexible?: true;
}

const gap = '  ';
const minFlexible = 12;

/** The title and rows of a table, fitted to the width as far as the columns allow; empty columns are dropped. */
export function columnLines(columns: readonly TextColumn[], width: number): readonly string[] {
  const filled = columns.filter(({ cells }) => cells.some((cell) => cell !== ''));
  const shown = fitted(filled, width);
  const left = width - shown.filter(({ isFlexible }) => !isFlexible).reduce((sum, each) => sum + widthOf(each) + 2, 0);
  const fixed = shown.map((column) =>
    column.isFlexible === true ? { ...column, cells: column.cells.map((cell) => keepWords(cell, left)) } : column,
  );
  const count = fixed[0]?.cells.length ?? 0;
  const line = (cell: (column: TextColumn) => string) =>
    fixed
      .map((column) => (column.isRight === true ? padBefore : padAfter)(cell(column), widthOf(column)))
      .join(gap)
      .trimEnd();
  return [
    line(({ title }) => title),
    ...Array.from({ length: count }, (_, row) => line(({ cells }) => cells[row] ?? '')),
  ];
}

function fitted(columns: readonly TextColumn[], width: number): readonly TextColumn[] {
  const needed = columns.reduce((sum, each) => sum + (each.isFlexible === true ? minFlexible : widthOf(each)) + 2, 0);
  if (needed <= width || columns.length <= 1) return columns;
  const last = columns.reduce((worst, each) => (each.rank > worst.rank ? each : worst));
  return fitted(
    columns.filter((column) => column !== last),
    width,
  );
}

function widthOf({ title, cells }: TextColumn): number {
  return cells.reduce((widest, cell) => Math.max(widest, columnsOf(cell)), columnsOf(title));
}
