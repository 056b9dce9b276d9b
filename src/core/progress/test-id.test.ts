import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainName, testId } from './test-id.ts';

test.each([
  ['colours', '\u001b[31madds\u001b[39m', 'adds'],
  ['white space', '  adds \t two ', 'adds two'],
  ['how long it took', 'adds (12 ms)', 'adds (3.4s)'],
  ['how long it took, in other brackets', 'adds [0.01s]', 'adds'],
  ['which worker ran it', '[gw0] [ 50%] test_a.py::adds', 'test_a.py::adds'],
  ['an address', '<Calc object at 0x7f3a2b1c> adds', '<Calc object at 0x55d01e2f> adds'],
  ['an identifier', 'user 6b7f1d2e-0a1b-4c3d-8e9f-001122334455', 'user 00000000-0a1b-4c3d-8e9f-001122334456'],
  ['the time of day', 'at 2026-11-01T12:00:00.123Z', 'at 2026-11-02 08:30:00'],
  ['a port', 'GET http://localhost:41523/x', 'GET http://localhost:39001/x'],
  ['a temporary folder', 'reads /tmp/tmpa1b2c3/x.txt', 'reads /tmp/tmpzzzzzz/x.txt'],
  ['the line of the test', 'a.spec.ts:3:1 › adds', 'a.spec.ts:17:1 › adds'],
  ['a process', 'worker pid 4711 adds', 'worker pid 12 adds'],
  ['how often it was tried', 'adds (retry #1)', 'adds (retry x2)'],
])('B044: two names that differ by %s are one test', (_what, one, other) => {
  expect(plainName(one)).toBe(plainName(other));
});

test.each([
  ['a parameter', 'test_add[1-2]', 'test_add[2-1]'],
  ['a number', 'parses 10 lines', 'parses 11 lines'],
  ['a day', 'parses 2024-02-29', 'parses 2024-03-01'],
  ['a duration within', 'waits 100ms, then stops', 'waits 200ms, then stops'],
  ['a small constant', 'reads 0xff', 'reads 0xfe'],
])('B044: two names that differ by %s are two tests', (_what, one, other) => {
  expect(plainName(one)).not.toBe(plainName(other));
});

test('B044: tests with the same name in two files are two tests, and a file that is already in the name is not repeated', () => {
  expect(testId({ name: 'adds', file: 'a.test.js' })).toBe('a.test.js > adds');
  expect(testId({ name: 'adds', file: 'b.test.js' })).not.toBe(testId({ name: 'adds', file: 'a.test.js' }));
  expect(testId({ name: 'a.py::adds', file: 'a.py' })).toBe('a.py::adds');
});

test('B044: an id is the id of itself, and never empty where the name is not', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      const plain = plainName(name);
      expect(plainName(plain).length).toBeLessThanOrEqual(plain.length);
      expect(plain === '').toBe(plainName(plain) === '');
    }),
  );
});
