import { stripVTControlCharacters } from 'node:util';

/** The rows that a terminal shows after a text; supports only the sequences that ralphd uses. */
export function screenOf(text: string): readonly string[] {
  const rows = [''];
  let row = 0;
  for (const part of text.split(/(\r\n|\r|\n|\u001b\[1A|\u001b\[0J)/u)) {
    if (part === '\r\n' || part === '\n') {
      row += 1;
      rows[row] ??= '';
    } else if (part === '\u001b[1A') row = Math.max(0, row - 1);
    else if (part === '\r') rows[row] = rows[row] ?? '';
    else if (part === '\u001b[0J') rows.splice(row, rows.length, '');
    else rows[row] += stripVTControlCharacters(part);
  }
  return rows;
}
