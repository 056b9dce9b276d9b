import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { appendToRotated, moveLog, openLog, trimLog } from './log-file.ts';

function createFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function open(place: string): number {
  const log = openLog(place);
  onTestFinished(() => closeSync(log));
  return log;
}

test('a log is readable by its owner only, and appended to when it is opened again', () => {
  const place = path.join(createFolder(), 'detached.log');
  writeSync(open(place), 'one\n');
  writeSync(open(place), 'two\n');
  expect(readFileSync(place, 'utf8')).toBe('one\ntwo\n');
  expect(statSync(place).mode & 0o777).toBe(0o600);
});

test('a symbolic link in the place of a log is refused', () => {
  const folder = createFolder();
  const place = path.join(folder, 'detached.log');
  symlinkSync(path.join(folder, 'victim'), place);
  expect(() => openLog(place)).toThrow(/symbolic link/);
});

test('a log that is moved while it is open loses nothing', () => {
  const folder = createFolder();
  const [from, to] = [path.join(folder, 'first'), path.join(folder, 'second')];
  const log = open(from);
  writeSync(log, 'one\n');
  moveLog(from, to);
  moveLog(to, to);
  writeSync(log, 'two\n');
  expect(readFileSync(to, 'utf8')).toBe('one\ntwo\n');
});

test('B113: a log that has become too long keeps its newest whole lines, notes the removal, and continues', () => {
  const place = path.join(createFolder(), 'detached.log');
  const log = open(place);
  const lines = Array.from({ length: 100 }, (_, index) => `line ${String(index).padStart(3, '0')}\n`);
  for (const line of lines) writeSync(log, line);
  trimLog(log, { maxBytes: 10_000, keepBytes: 50 });
  expect(readFileSync(place, 'utf8')).toBe(lines.join(''));
  trimLog(log, { maxBytes: 500, keepBytes: 50 });
  appendFileSync(place, 'line 100\n');
  expect(readFileSync(place, 'utf8')).toBe(
    '… 855 bytes of older lines were removed …\nline 095\nline 096\nline 097\nline 098\nline 099\nline 100\n',
  );
});

test('B063: a shared log is rotated when it is full, and only so many older ones are kept', () => {
  const place = path.join(createFolder(), 'audit.log');
  const rotation = { maxBytes: 10, kept: 2 };
  for (const word of ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh'])
    appendToRotated(place, `${word}\n`, rotation);
  expect(readFileSync(`${place}.1`, 'utf8')).toBe('fifth\nsixth\n');
  expect(readFileSync(`${place}.2`, 'utf8')).toBe('third\nfourth\n');
  expect(existsSync(`${place}.3`)).toBe(false);
  expect(readFileSync(place, 'utf8')).toBe('seventh\n');
  expect(statSync(place).mode & 0o077).toBe(0);
});
