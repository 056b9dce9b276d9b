import * as z from 'zod';
import { breakpointWords, questionPoints } from '../modes.ts';
import { choice, count, duration, group, list, text, toggle } from './settings.ts';

const breakpoint = z.union([count(1), choice(breakpointWords)], {
  error: `the number of an iteration, or one of ${breakpointWords.join(', ')}`,
});

/** When a loop asks a person, and how long it waits for the decision. */
export const askSchema = group({
  before: choice(questionPoints)
    .default('iteration')
    .describe('What an attended loop asks before: each iteration and completion, or only completion.'),
  autoApproveAfter: duration({ min: 1 })
    .optional()
    .describe('How long to wait for a decision before the loop continues by itself; in hybrid mode 1m by default.'),
  breakpoints: list(breakpoint)
    .default([])
    .describe('Where to ask in every mode: numbers of iterations, "test_regression" or "completion".'),
  everyIterations: count(1).default(10).describe('In hybrid mode, ask after this many iterations without a decision.'),
  everyFiles: count(1).default(5).describe('In hybrid mode, ask after this many changed files without a decision.'),
  onFailures: count(0)
    .default(3)
    .describe('In hybrid mode, switch to attended after this many consecutive failed iterations; 0 disables this.'),
  onTestRegression: toggle()
    .default(true)
    .describe('In hybrid mode, switch to attended after an iteration with more failing tests than before.'),
  onPatterns: list(text())
    .default(['\\bCRITICAL\\b', '\\bBREAKING\\b'])
    .describe("In hybrid mode, switch to attended when the agent's output matches one of these regular expressions."),
});
