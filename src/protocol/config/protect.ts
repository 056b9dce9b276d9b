import * as z from 'zod';
import { protectionModes, usualTests } from './protection.ts';
import { choice, group, list, text } from './settings.ts';

/** Which files an agent should not change: patterns, the word `strict`, or both. */
export const protectSchema = z.union(
  [
    text(),
    list(text()),
    group({
      paths: list(text())
        .default([...usualTests])
        .describe('Patterns in .gitignore syntax; by default the usual locations of tests.'),
      mode: choice(protectionModes)
        .default('report')
        .describe(
          'Whether to report changes, to stop the loop after them, or to run the checks with the original files.',
        ),
    }),
  ],
  { error: 'a list of patterns, the word "strict", or a mapping of paths and mode' },
);
