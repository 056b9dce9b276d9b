import * as z from 'zod';
import { choice, group, list, text } from './settings.ts';

/** The usual places of tests, as a `.gitignore` file would name them. */
export const usualTests: readonly string[] = [
  'test/',
  'tests/',
  '__tests__/',
  'spec/',
  '*.test.*',
  '*.spec.*',
  '*_test.*',
  'test.*js',
  'test.*ts',
  'test.py',
  'tests.py',
  'test_*.py',
  'conftest.py',
  '__snapshots__/',
  '*.snap',
  'testdata/',
  'golden/',
  'goldens/',
  '*.golden',
  '__fixtures__/',
];

const modes = ['report', 'strict'] as const;

/** Which files an agent should not change: patterns, the word `strict`, or both. */
export const protectSchema = z.union(
  [
    text(),
    list(text()),
    group({
      paths: list(text())
        .default([...usualTests])
        .describe('Patterns, as a .gitignore file has them; the usual places of tests unless given.'),
      mode: choice(modes).default('report').describe('Whether to name changes, or to run the checks without them.'),
    }),
  ],
  { error: 'a list of patterns, the word "strict", or a mapping of paths and mode' },
);

/** What is protected, and how. */
export interface Protection {
  readonly paths: readonly string[];
  readonly mode: (typeof modes)[number];
}

/** The setting in its long form. */
export function protectionOf(setting: z.output<typeof protectSchema>): Protection {
  if (setting === 'strict') return { paths: usualTests, mode: 'strict' };
  if (typeof setting === 'string') return { paths: [setting], mode: 'report' };
  return Array.isArray(setting) ? { paths: setting, mode: 'report' } : setting;
}
