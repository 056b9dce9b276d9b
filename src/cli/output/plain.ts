import { scrub } from '../../base/index.ts';

/** Foreign text on one line, cut to a length. */
export function oneLine(text: string, longest = 80): string {
  const line = scrub(text).replace(/\s+/gu, ' ').trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** A duration for people: coarse, and never "0s" for something that took time. */
export function shortDuration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

/** Breaks a line between words so that no part of it is wider; a word that is wider by itself stays whole. */
export function wrapLine(line: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of line.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** How wide a stream is; what is not shown on a terminal is not broken into lines. */
export function widthOf({ isTTY, columns }: NodeJS.WriteStream): number {
  return isTTY ? Math.max(60, columns) : Number.POSITIVE_INFINITY;
}
