import { tailText } from '../../base/index.ts';

/** Notes that agents and people leave in a file for later iterations. */
export interface ProgressNotes {
  /** How the agent reaches the file. */
  readonly path: string;
  readonly text: string;
}

/** How much of the notes is quoted. */
const maxLength = 8_000;

/** The last entries of the notes; what precedes them is left out as a whole entry or at least a whole line. */
export function lastEntries(text: string): string {
  const whole = text.trim();
  if (whole.length <= maxLength) return whole;
  const tail = tailText(whole, maxLength);
  const start = [/^#{1,6} /m, /^\n/m, /^/m].map((form) => startOf(form, tail)).find((index) => index > 0) ?? 0;
  return `[… earlier entries left out …]\n${tail.slice(start).trim()}`;
}

/** Where a form begins after the first line, which is probably not whole. */
function startOf(form: RegExp, tail: string): number {
  const second = tail.indexOf('\n') + 1;
  if (second === 0) return -1;
  const found = tail.slice(second).search(form);
  return found < 0 ? -1 : second + found;
}
