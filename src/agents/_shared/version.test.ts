import { expect, test } from 'vitest';
import { isTried, versionIn } from './version.ts';

test.each([
  ['2.1.325 (Claude Code)\n', '2.1.325'],
  ['codex-cli 0.166.0', '0.166.0'],
  ['0.61.0\n', '0.61.0'],
  ['v1.18.33-beta', '1.18.33'],
  ['listening on 127.0.0.1', undefined],
  ['', undefined],
])('the version in %j is %s', (text, version) => {
  expect(versionIn(text)).toBe(version);
});

test('a version is known from the first one that was tried up to, but not including, the first one that was not', () => {
  const tried = ['2.1.112', '2.2.0'] as const;
  const answers = ['2.1.111', '2.1.112', '2.1.325', '2.2.0', '3.0.0'].map((version) => isTried(version, tried));
  expect(answers).toEqual([false, true, true, false, false]);
});
