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
        .describe('Patterns, as a .gitignore file has them; the usual places of tests unless given.'),
      mode: choice(protectionModes)
        .default('report')
        .describe('Whether to name changes, or to run the checks without them.'),
    }),
  ],
  { error: 'a list of patterns, the word "strict", or a mapping of paths and mode' },
);
