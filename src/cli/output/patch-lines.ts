import { keepStart, scrub } from '../../base/index.ts';
import type { Paint } from './paint.ts';
import type { Canvas } from './rule-lines.ts';

const maxColumns = 500;

/** A patch for a terminal: coloured, without control characters, long lines truncated. */
export function patchLines(
  { text, isWhole }: { readonly text: string; readonly isWhole: boolean },
  { paint }: Canvas,
): string[] {
  const lines = scrub(text).replace(/\n$/, '').split('\n');
  const shown = lines.map((line) => colourOf(line, paint)(keepStart(line, maxColumns)));
  return isWhole ? shown : [...shown, paint.warn('… the rest of the diff is too long to show')];
}

function colourOf(line: string, paint: Paint): (text: string) => string {
  if (/^(?:diff -|--- |\+\+\+ )/.test(line)) return paint.bold;
  if (line.startsWith('@@')) return paint.note;
  if (line.startsWith('+')) return paint.good;
  return line.startsWith('-') ? paint.bad : (text) => text;
}
