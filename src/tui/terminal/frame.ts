import { type Line, lineWidth, type Size } from '../text.ts';
import { paint, type Theme } from '../theme.ts';

const escape = '\u001b';
const startUpdate = `${escape}[?2026h`;
const endUpdate = `${escape}[?2026l`;
const clearScreen = `${escape}[2J`;
const clearRest = `${escape}[K`;

/** Remembers what is on the screen, and writes only the rows that differ. */
export interface FrameWriter {
  /** The bytes that turn the screen into these lines; empty if nothing differs. */
  next(lines: readonly Line[], size: Size): string;
  /** Whatever is on the screen is not known any more. */
  forget(): void;
}

/** Writes frames for a theme. */
export function createFrameWriter(theme: Theme): FrameWriter {
  let shown: readonly string[] | undefined;
  return {
    next(lines, { columns, rows }) {
      const painted = Array.from({ length: rows }, (_, row) => {
        const each = lines[row] ?? [];
        // In the last column the cursor stays on the last character, which would be erased.
        return paint(each, theme) + (lineWidth(each) < columns ? clearRest : '');
      });
      const before = shown;
      shown = painted;
      const changed = painted.flatMap((text, row) =>
        before?.[row] === text ? [] : [`${escape}[${row + 1};1H${text}`],
      );
      if (before !== undefined && before.length === rows && changed.length === 0) return '';
      const isWhole = before === undefined || before.length !== rows;
      return startUpdate + (isWhole ? clearScreen + everyRow(painted) : changed.join('')) + endUpdate;
    },
    forget() {
      shown = undefined;
    },
  };
}

function everyRow(painted: readonly string[]): string {
  return painted.map((text, row) => `${escape}[${row + 1};1H${text}`).join('');
}
