import * as z from 'zod';
import { hookPoints, judgedStatuses } from '../words.ts';
import { choice, command, count, duration, group, list, text, toggle } from './settings.ts';

const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** One hook: a command of the user's that runs at points of every iteration. */
const hookSchema = group({
  name: z
    .string({ error: 'a name' })
    .regex(nameForm, { error: 'a name of letters, digits, dots, dashes and underscores' })
    .describe('What the hook is called in facts and messages.'),
  at: list(choice(hookPoints)).min(1, { error: 'a list of at least one point' }).describe('When it runs.'),
  run: command().describe('What to run, in the working directory, with a JSON object on stdin.'),
  timeout: duration({ min: 1 }).prefault('30s').describe('Longest time it may take before it is ended.'),
  priority: z.int({ error: 'a whole number' }).default(0).describe('Hooks with a higher number run earlier.'),
  enabled: toggle().default(true).describe('Whether it runs at all.'),
  everyN: count(1).default(1).describe('Run only in every Nth iteration.'),
  ifStatus: list(choice(judgedStatuses))
    .min(1, { error: 'a list of at least one status' })
    .optional()
    .describe('Run only after an iteration that ended like this.'),
  ifPattern: text()
    .optional()
    .describe('Run only when the error, the summary or the output of a check matches this regular expression.'),
  fatal: toggle().default(false).describe('Whether the loop pauses when this hook fails.'),
}).refine(knowsItsOutcome, { error: 'without ifStatus and ifPattern when it runs before an iteration' });

/** All hooks of a loop. */
export const hooksSchema = list(hookSchema)
  .refine(haveNamesOfTheirOwn, { error: 'a list of hooks that each have a name of their own' })
  .default([]);

/** One hook as the program uses it. */
export type HookConfig = z.output<typeof hookSchema>;

/** Conditions on an outcome cannot be met before there is one: refused, so that no hook waits in vain. */
function knowsItsOutcome({ at, ifStatus, ifPattern }: { at: string[]; ifStatus?: unknown; ifPattern?: unknown }) {
  return !at.includes('pre_iteration') || (ifStatus === undefined && ifPattern === undefined);
}

function haveNamesOfTheirOwn(hooks: readonly { readonly name: string }[]): boolean {
  return new Set(hooks.map(({ name }) => name)).size === hooks.length;
}
