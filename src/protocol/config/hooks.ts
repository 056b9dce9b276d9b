import * as z from 'zod';
import { modes } from '../modes.ts';
import { type HookPoint, hookPoints, judgedStatuses } from '../words.ts';
import { address, secretReference } from './address.ts';
import { choice, command, count, duration, group, list, text, toggle } from './settings.ts';

const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** One hook: a user's command or web address that is run or called at certain points of a loop. */
export const hookSchema = group({
  name: z
    .string({ error: 'a name' })
    .regex(nameForm, { error: 'a name of letters, digits, dots, dashes and underscores' })
    .describe('Name of the hook in facts and messages.'),
  at: list(choice(hookPoints)).min(1, { error: 'a list of at least one point' }).describe('When it runs.'),
  run: command().optional().describe('Command to run in the working directory; it gets a JSON object on stdin.'),
  url: address().optional().describe('Instead of "run": where to post that JSON object.'),
  secret: secretReference().optional().describe('For url: key of the signature, as "env:NAME" or "file:PATH".'),
  timeout: duration({ min: 1 }).prefault('30s').describe('Maximum time before the hook is ended.'),
  priority: z.int({ error: 'a whole number' }).default(0).describe('Hooks with a higher priority run first.'),
  enabled: toggle().default(true).describe('Whether the hook is enabled.'),
  everyN: count(1).default(1).describe('Run only in every Nth iteration.'),
  inMode: list(choice(modes))
    .min(1, { error: 'a list of at least one mode' })
    .optional()
    .describe('Run only while the loop is in one of these modes.'),
  ifStatus: list(choice(judgedStatuses))
    .min(1, { error: 'a list of at least one status' })
    .optional()
    .describe('Run only after an iteration, or at the end of a loop, with one of these statuses.'),
  ifTestStatus: choice(['passed', 'failed']).optional().describe('Run only when the checks passed, or failed.'),
  ifPattern: text()
    .optional()
    .describe('Run only when the error, the summary or the output of a check matches this regular expression.'),
  sandbox: toggle().optional().describe("Whether the command runs in the loop's sandbox."),
  fatal: toggle().default(false).describe('Whether the loop pauses when this hook fails.'),
})
  .refine(hasOneTarget, { error: 'either with "run" or with "url"' })
  .refine(signsOnlyPosts, { error: 'without "secret" unless it has "url"' })
  .refine(canKnowOutcome, {
    error: 'without ifStatus, ifTestStatus and ifPattern when it runs before an iteration or between two',
  });

/** All hooks of a loop. */
export const hooksSchema = list(hookSchema)
  .refine(haveUniqueNames, { error: 'a list of hooks with unique names' })
  .default([]);

function hasOneTarget({ run, url }: { readonly run?: unknown; readonly url?: unknown }): boolean {
  return (run === undefined) !== (url === undefined);
}

function signsOnlyPosts({ url, secret }: { readonly url?: unknown; readonly secret?: unknown }): boolean {
  return secret === undefined || url !== undefined;
}

/** Points at which no result is known yet, or none any more. */
const withoutOutcome: readonly HookPoint[] = [
  'pre_iteration',
  'pre_session',
  'loop_start',
  'pre_reboot',
  'post_reboot',
  'on_mode_switch',
];

interface Conditions {
  readonly at: readonly HookPoint[];
  readonly ifStatus?: unknown;
  readonly ifTestStatus?: unknown;
  readonly ifPattern?: unknown;
}

/** Without a result to test, such a hook would never run: refused. */
function canKnowOutcome({ at, ifStatus, ifTestStatus, ifPattern }: Conditions): boolean {
  if (ifStatus === undefined && ifTestStatus === undefined && ifPattern === undefined) return true;
  return !at.some((point) => withoutOutcome.includes(point));
}

function haveUniqueNames(hooks: readonly { readonly name: string }[]): boolean {
  return new Set(hooks.map(({ name }) => name)).size === hooks.length;
}
