import type { TrustRequest } from '../../app/index.ts';
import { columnsOf, visible } from '../../base/index.ts';
import type { BroughtLine } from '../../config/index.ts';
import type { Asks } from '../../protocol/index.ts';
import { fitLines } from '../output/fit-lines.ts';
import { type Paint, paintFor } from '../output/paint.ts';
import { widthOf } from '../output/plain.ts';

const titles: Readonly<Record<Asks, string>> = {
  runs: 'runs',
  sends: 'sends away',
  place: 'reads or writes outside of the project',
  weakens: 'allows more than usual',
};

/** What a project or a loop brings, for a person: every line in full, and nothing in it reaches the terminal as it is. */
export function printBrought(stream: NodeJS.WriteStream, request: TrustRequest): void {
  const paint = paintFor(stream);
  const width = widthOf(stream);
  const lines = [
    ...fitLines([paint.warn(`! ${headline(request)}`)], width),
    ...(request.owner === undefined ? [] : fitLines([paint.warn(`! ${ownerText(request.owner)}`)], width)),
    ...broughtRows(request.lines, paint, width),
  ];
  stream.write(`${lines.join('\n')}\n`);
}

/** The lines by what they do, each with its place and its whole text. */
export function broughtRows(lines: readonly BroughtLine[], paint: Paint, width: number): readonly string[] {
  const kinds = Object.keys(titles) as readonly Asks[];
  return kinds.flatMap((kind) => {
    const rows = lines.filter(({ asks }) => asks === kind);
    if (rows.length === 0) return [];
    return ['', paint.bold(`  ${titles[kind]}`), ...rows.flatMap((row) => rowsOf(row, paint, width))];
  });
}

function rowsOf({ where, setting, text, note }: BroughtLine, paint: Paint, width: number): readonly string[] {
  const head = `  ${visible(where)}  ${visible(setting)}${note === undefined ? '' : ` (${visible(note)})`}`;
  const written = text.split('\n').flatMap((line) => cut(visible(line), Math.max(width - 6, 10)));
  return [...fitLines([head], width), ...written.map((line) => `    ${paint.dim('|')} ${line}`)];
}

/** Cuts a text at the width, and changes nothing else: runs of spaces stay what they are. */
function cut(text: string, width: number): readonly string[] {
  const parts: string[] = [];
  let current = '';
  for (const character of text) {
    if (columnsOf(current + character) > width) {
      parts.push(current);
      current = '';
    }
    current += character;
  }
  return [...parts, current];
}

function headline({ folder, loop, lines }: TrustRequest): string {
  const count = lines.length === 1 ? '1 thing' : `${lines.length} things`;
  const who = loop === undefined ? visible(folder) : `Loop ${visible(loop)} in ${visible(folder)}`;
  return `${who} brings ${count} that you have not trusted yet. With your rights, ${lines.length === 1 ? 'it' : 'they'} would run, send, reach or allow:`;
}

function ownerText(owner: number): string {
  return `This folder belongs to another user (uid ${owner}), who can change its programs at any time.`;
}
