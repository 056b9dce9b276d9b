import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvText } from './csv.ts';

/** Reads CSV as RFC 4180 says, and refuses everything else. */
function parseCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let rest = text;
  while (rest !== '') {
    const found = /^(?:"((?:[^"]|"")*)"|([^",\n\r]*))(,|\n)/u.exec(rest);
    if (found === null) throw new Error(`not CSV: ${rest.slice(0, 80)}`);
    row.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] === '\n') {
      rows.push(row);
      row = [];
    }
    rest = rest.slice(found[0].length);
  }
  if (row.length > 0) throw new Error('the last line does not end');
  return rows;
}

const parts = ['=', '+', '-', '@', '＝', '"', "'", ',', ';', '\n', '\r', '\t', ' ', 'é', '語', '|', '%', 'a'];
const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.array(fc.constantFrom(...parts), { maxLength: 8 }).map((chosen) => chosen.join('')),
);

test('B099: whatever the texts are, the table has its rows and columns, and no cell begins like a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(nasty, nasty), { maxLength: 5 }), (rows) => {
      const parsed = parseCsv(csvText(['one', 'two'], rows));
      expect(parsed).toHaveLength(rows.length + 1);
      for (const cells of parsed) {
        expect(cells).toHaveLength(2);
        // Spreadsheets of some languages separate cells by semicolons.
        for (const part of cells.join(';').split(';')) expect(part).not.toMatch(/^[\s"]*[=+\-@＝＋－＠|%]/u);
      }
    }),
  );
});

test('B099: plain text, also of other languages, is kept as it is; numbers stay numbers, and unknown cells are empty', () => {
  const rows = [['Prüfe die 語 "x", bitte', -5, 0.25, true, undefined]] as const;
  const [, cells] = parseCsv(csvText(['a', 'b', 'c', 'd', 'e'], rows));
  expect(cells).toEqual(['Prüfe die 語 "x", bitte', '-5', '0.25', 'true', '']);
});

test.each([
  ['=cmd|"/c calc"!A1', `'=cmd|"/c calc"!A1`],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['fix it;=1+1', "fix it;'=1+1"],
  ['\t=1', "'=1"],
  ['a-b, c=d', 'a-b, c=d'],
])('B099: the text %j is the cell %j', (text, shown) => {
  expect(parseCsv(csvText(['a'], [[text]]))[1]).toEqual([shown]);
});
