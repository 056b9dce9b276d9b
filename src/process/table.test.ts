import { expect, test } from 'vitest';
import { withMarker } from './marker.ts';
import { parseMarked, parseRows } from './table-darwin.ts';
import { environmentCarries, parseStat } from './table-linux.ts';

test('a Linux process may have brackets and blanks in its name', () => {
  const line =
    '42 (a) b (c)) S 1 40 40 0 -1 4194304 100 0 0 0 1 2 0 0 20 0 1 0 130814 2400256 200 18446744073709551615';
  expect(parseStat(42, line)).toEqual({
    pid: 42,
    parentId: 1,
    groupId: 40,
    name: 'a) b (c)',
    startTime: '130814',
    cpuMs: 30,
    memoryBytes: expect.any(Number),
    working: false,
    stopped: false,
    zombie: false,
  });
  expect(parseStat(42, line.replace(' S ', ' Z '))).toMatchObject({ zombie: true });
  expect(parseStat(42, line.replace(' S ', ' T '))).toMatchObject({ stopped: true, zombie: false });
  for (const state of ['R', 'D']) expect(parseStat(42, line.replace(' S ', ` ${state} `))?.working).toBe(true);
  expect(parseStat(42, '')).toBeUndefined();
});

test('the marker is a whole entry of a Linux environment, alone or among outer ones', () => {
  const block = (...entries: string[]) => Buffer.from(`${entries.join('\0')}\0`);
  expect(environmentCarries(block('A=1', 'RALPHD_ATTEMPT=m', 'B=2'), 'm')).toBe(true);
  expect(environmentCarries(block('RALPHD_ATTEMPT=outer,m'), 'm')).toBe(true);
  expect(environmentCarries(block('X_RALPHD_ATTEMPT=m'), 'm')).toBe(false);
  expect(environmentCarries(block('X_RALPHD_ATTEMPT=y', 'RALPHD_ATTEMPT=m'), 'm')).toBe(true);
  expect(environmentCarries(block('RALPHD_ATTEMPT=mm'), 'm')).toBe(false);
  expect(environmentCarries(Buffer.from('RALPHD_ATTEMPT=m'), 'm')).toBe(true);
  expect(environmentCarries(block('RALPHD_ATTEMPT=m'), 'm', 'RALPHD_KEEPER')).toBe(false);
  expect(environmentCarries(block('RALPHD_ATTEMPT=x', 'RALPHD_KEEPER=m'), 'm', 'RALPHD_KEEPER')).toBe(true);
});

test('the macOS process list is read with its start time as text', () => {
  const text = [
    '    1     0     1  2048 Rs    12:01.50 Sat Nov 14 09:01:02 2026     launchd',
    '  812     1   800     0 Z+     0:00.00 Mon Nov  2 10:11:12 2026     my tool  ',
    '',
  ].join('\n');
  expect(parseRows(text)).toEqual([
    {
      pid: 1,
      parentId: 0,
      groupId: 1,
      name: 'launchd',
      startTime: 'Sat Nov 14 09:01:02 2026',
      cpuMs: 721_500,
      memoryBytes: 2_097_152,
      working: true,
      stopped: false,
      zombie: false,
    },
    {
      pid: 812,
      parentId: 1,
      groupId: 800,
      name: 'my tool',
      startTime: 'Mon Nov  2 10:11:12 2026',
      cpuMs: 0,
      memoryBytes: 0,
      working: false,
      stopped: false,
      zombie: true,
    },
  ]);
});

test('the macOS environment follows the command line', () => {
  const text = [
    '  10 /bin/sleep 600 PATH=/bin RALPHD_ATTEMPT=outer,m HOME=/x',
    '  11 node RALPHD_ATTEMPT=other',
    '  12 sh',
    '  13 sh A=1 RALPHD_ATTEMPT=m',
  ].join('\n');
  expect([...parseMarked(text, 'm')]).toEqual([10, 13]);
});

test('a marker that could never be found is refused', () => {
  for (const marker of ['', 'a b', 'a,b', 'a=b', 'a\0b']) expect(() => withMarker({}, marker)).toThrow(TypeError);
});
