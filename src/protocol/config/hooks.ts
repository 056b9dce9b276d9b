import * as z from 'zod';
import { hookPoints, judgedStatuses } from '../words.ts';
import { choice, command, count, duration, group, list, text, toggle } from './settings.ts';

const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** One hook: a user's command that runs at certain points of every iteration. */
export const hookSchema = group({
  name: z
    .string({ error: 'a name' })
    .regex(nameForm, { error: 'a name of letters, digits, dots, dashes and underscores' })
    .describe('Name of the hook in facts and messages.'),
  at: list(choice(hookPoints)).min(1, { error: 'a list of at least one point' }).describe('When it runs.'),
  run: command().describe('Command to run in the working directory; it gets a JSON object on stdin.'),
  timeout: duration({ min: 1 }).prefault('30s').describe('Maximum time before the hook is killed.'),
  priority: z.int({ error: 'a whole number' }).default(0).describe('Hooks with a higher priority run first.'),
  enabled: toggle().default(true).describe('Whether the hook is enabled.'),
  everyN: count(1).default(1).describe('Run only in every Nth iteration.'),
  ifStatus: list(choice(judgedStatuses))
    .min(1, { error: 'a list of at least one status' })
    .optional()
    .describe('Run only after an iteration with one of these statuses.'),
  ifPattern: text()
    .optional()
    .describe('Run only when the error, the summary or the output of a check matches this regular expression.'),
  fatal: toggle().default(false).describe('Whether the loop pauses when this hook fails.'),
}).refine(canKnowOutcome, { error: 'without ifStatus and ifPattern when it runs before an iteration' });

/** All hooks of a loop. */
export const hooksSchema = list(hookSchema)
  .refine(haveUniqueNames, { error: 'a list of hooks with unique names' })
  .default([]);

/** Before an iteration there is no outcome to test, so such a hook would never run: refused. */
function canKnowOutcome({ at, ifStatus, ifPattern }: { at: string[]; ifStatus?: unknown; ifPattern?: unknown }) {
  return !at.includes('pre_iteration') || (ifStatus === undefined && ifPattern === undefined);
}

function haveUniqueNames(hooks: readonly { readonly name: string }[]): boolean {
  return new Set(hooks.map(({ name }) => name)).size === hooks.length;
}
