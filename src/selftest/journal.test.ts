import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { finishedIterations, readJournal } from './journal.ts';

/** The lines of a journal, each chained to the one before it. */
function linesOf(facts: readonly { readonly seq: number; readonly type: string; readonly data: object }[]): string[] {
  let crc = 0;
  return facts.map((fact) => {
    const body = JSON.stringify({ v: 1, ...fact }).slice(0, -1);
    crc = crc32(body, crc);
    return `${body},"crc":"${crc.toString(16).padStart(8, '0')}"}\n`;
  });
}

function loopWith(segments: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd-journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(path.join(folder, 'journal'));
  for (const [name, text] of Object.entries(segments)) writeFileSync(path.join(folder, 'journal', name), text);
  return folder;
}

const finished = (seq: number, iteration: number) => ({ seq, type: 'iteration.finished', data: { iteration } });

test('a journal of two owners is read without the bytes that the second one did not accept', () => {
  const [first = '', second = ''] = linesOf([finished(1, 1), finished(2, 2)]);
  const bytes = Buffer.byteLength(first + second);
  const [, , third = ''] = linesOf([
    finished(1, 1),
    finished(2, 2),
    { seq: 3, type: 'segment.opened', data: { previous: { bytes } } },
  ]);
  const folder = loopWith({
    '0001-0001.jsonl': `${first}${second}{"late":true}\n`,
    '0001-0001.jsonl.0123456789ab.broken': 'kept',
    '0002-0001.jsonl': `${third}{"v":1,"se`,
  });
  expect(readJournal(folder).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect(finishedIterations(readJournal(folder))).toBe(2);
});

test('a changed line, a missing line and a repeated iteration are findings', () => {
  const [first = '', second = '', third = ''] = linesOf([finished(1, 1), finished(2, 2), finished(3, 2)]);
  const changed = loopWith({ '0001-0001.jsonl': first.replace('"iteration":1', '"iteration":7') });
  expect(() => readJournal(changed)).toThrow('line 1 of the journal has a wrong checksum');
  const missing = loopWith({ '0001-0001.jsonl': first + third });
  expect(() => readJournal(missing)).toThrow('line 3 of the journal has a wrong checksum');
  const repeated = readJournal(loopWith({ '0001-0001.jsonl': first + second + third }));
  expect(() => finishedIterations(repeated)).toThrow('the finished iterations have the numbers 1, 2, 2');
});
