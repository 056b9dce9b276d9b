import { expect, test } from 'vitest';
import { rot } from './harness/bit-rot.ts';
import { realSubject } from './oracle/subject.ts';

test('A132, A137, R22: a flipped bit of any byte, every cut, mixed block and inserted line in any file is detected or has no effect', () => {
  const rows = rot({ subject: realSubject, bytes: 8000, isQuick: true });
  expect(rows.flatMap((row) => row.violations)).toEqual([]);
  expect(rows.reduce((sum, row) => sum + row.flips, 0)).toBeGreaterThanOrEqual(9000);
  expect(rows.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining([
      'journal segment',
      'copy of a segment',
      'registry',
      'state.json',
      'owner.json',
      'checkpoint',
      'backup',
      'inbox command',
    ]),
  );
  const journal = rows.find(({ kind }) => kind === 'journal segment');
  expect(journal?.detected).toBeGreaterThan(4000);
});
