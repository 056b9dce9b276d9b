import { stripVTControlCharacters } from 'node:util';
import { columnsOf } from '../../base/index.ts';
import { commandLines, widthOf, wrapPath } from './plain.ts';

// The prefix of a line: a label with its padding, a quotation mark for output, or an indentation.
const label = /^ {2}[^ ]+ +(?:\u001b\[\d+m *)?/u;
const indentation = /^ *(?:\u001b\[\d+m)? *(?:\| )?/u;
const isLabel = /^ {2}(?:[^ ]+ {2,}|[^ ]{8,9} |\w+: )$/u;

/** A command at the end of a line, after a label or a colon, is never broken, so that it can be copied. */
const words = /(?<=^ |: )ralphd [a-z-]+ [^"]*$|[^ ]+/gu;

/** The indentation of text that does not fit after its label. */
const smallIndent = 4;

/** Prints lines for a person, wrapped to the width of the terminal. */
export function printLines(stream: NodeJS.WriteStream, lines: readonly string[]): void {
  if (lines.length > 0) stream.write(`${fitLines(lines, widthOf(stream)).join('\n')}\n`);
}

/** Wraps lines to the width: the rest of a long line is indented below its text; words and commands are never broken. */
export function fitLines(lines: readonly string[], width: number): readonly string[] {
  return lines.flatMap((line) => (shownColumns(line) <= width ? [line] : wrap(line, width)));
}

function wrap(line: string, width: number): readonly string[] {
  const before = prefixOf(line);
  const indent = Math.max(2, shownColumns(before));
  const lines: string[] = [];
  let current = before;
  let isFresh = true;
  for (const word of `${before === '' ? '' : ' '}${line.slice(before.length)}`.match(words) ?? []) {
    const next = isFresh ? current + word : `${current} ${word}`;
    if (shownColumns(next) <= width) current = next;
    else {
      if (current.trim() !== '') lines.push(current.trimEnd());
      const fits = indent + shownColumns(word) <= width;
      const margin = fits ? indent : Math.min(indent, smallIndent);
      const parts = brokenWord(word, width - margin).map((part) => ' '.repeat(margin) + part);
      lines.push(...parts.slice(0, -1));
      current = parts.at(-1) ?? '';
    }
    isFresh = false;
  }
  return [...lines, current];
}

/** A command or a path that is too long for a line of its own, in several lines. */
function brokenWord(word: string, width: number): readonly string[] {
  if (shownColumns(word) <= width) return [word];
  return word.startsWith('ralphd ') ? commandLines(word, width) : wrapPath(word, width);
}

function prefixOf(line: string): string {
  const labelled = label.exec(line)?.[0];
  if (labelled !== undefined && isLabel.test(stripVTControlCharacters(labelled))) return labelled;
  return indentation.exec(line)?.[0] ?? '';
}

/** How many columns a line takes, without its colours. */
function shownColumns(line: string): number {
  return columnsOf(stripVTControlCharacters(line));
}
