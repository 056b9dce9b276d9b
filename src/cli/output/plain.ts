import { columnsOf } from '../../base/index.ts';

export { oneLine } from '../../base/index.ts';

/** A duration for people: coarse, and never "0s" for something that took time. */
export function shortDuration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

/** Wraps a line at spaces; a word that is wider than the line stays whole. */
export function wrapLine(line: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of line.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || columnsOf(last) + 1 + columnsOf(word) > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** A word of a command; what is quoted belongs to it. */
const commandWord = /(?:[^ '"]|'[^']*'|"[^"]*"|['"])+/gu;

/** A command that is too long continues on further lines as a shell reads it, so that it can still be copied. */
export function commandLines(command: string, width: number): readonly string[] {
  if (columnsOf(command) <= width) return [command];
  const lines: string[] = [];
  for (const word of command.match(commandWord) ?? []) {
    const last = lines.at(-1);
    const isFull = last !== undefined && columnsOf(`${last} ${word} \\`) > width;
    if (last === undefined || isFull) lines.push(last === undefined ? word : `  ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((line, index) => (index === lines.length - 1 ? line : `${line} \\`));
}

/** Wraps a line at spaces, and a path that is too long after its slashes. */
export function wrapPath(line: string, width: number): readonly string[] {
  const parts = line.split(' ').flatMap((word) => (columnsOf(word) <= width ? [[word]] : [word.split(/(?<=\/)/u)]));
  const lines: string[] = [];
  for (const [first = '', ...rest] of parts) {
    const last = lines.at(-1);
    if (last === undefined || columnsOf(last) + 1 + columnsOf(first) > width) lines.push(first);
    else lines[lines.length - 1] = `${last} ${first}`;
    for (const part of rest) {
      const current = lines.at(-1) ?? '';
      if (columnsOf(current) + columnsOf(part) > width) lines.push(part);
      else lines[lines.length - 1] = current + part;
    }
  }
  return lines;
}

/** The width of a stream; output that does not go to a terminal is not wrapped. */
export function widthOf({ isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number {
  if (!isTTY) return Number.POSITIVE_INFINITY;
  // A terminal that does not know its size reports none, or zero.
  return Math.max(minWidth, columns || defaultWidth);
}

const minWidth = 40;
const defaultWidth = 80;
