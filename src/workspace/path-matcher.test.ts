import { expect, test } from 'vitest';
import { usualTests } from '../protocol/index.ts';
import { createPathMatcher, malformedPattern } from './path-matcher.ts';

test.each([
  'test/a.js',
  'tests/deep/er/data.json',
  'packages/core/test/a.ts',
  'src/__tests__/a.tsx',
  'src/a.test.ts',
  'a.spec.rb',
  'pkg/a_test.go',
  'test_a.py',
  'lib/conftest.py',
  'test.js',
  'test.mjs',
  'app/tests.py',
  'spec/models/a_spec.rb',
])('the default test patterns match %s', (path) => {
  expect(createPathMatcher(usualTests)(path)).toBe(true);
});

test.each(['src/a.ts', 'testing.md', 'latest/a.ts', 'contest.py', 'src/attest.go', 'tests', 'test', 'test.sh'])(
  'the default test patterns do not match %s',
  (path) => {
    expect(createPathMatcher(usualTests)(path)).toBe(false);
  },
);

test('patterns follow .gitignore: anchored, negated, at any depth, in any language', () => {
  const matches = createPathMatcher(['/golden/**', '*.snap', '!loose.snap', 'größe/']);
  expect(['golden/a/b', 'x/y.snap', 'a/größe/x'].map(matches)).toEqual([true, true, true]);
  expect(['x/golden/a', 'x/loose.snap', 'größe'].map(matches)).toEqual([false, false, false]);
});

test('a malformed pattern is found', () => {
  expect(malformedPattern(['tests/', '*.t[est'])).toBe('*.t[est');
  expect(malformedPattern(usualTests)).toBeUndefined();
});
