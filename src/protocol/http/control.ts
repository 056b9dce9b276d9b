import * as z from 'zod';
import { commandArguments } from '../command-schema.ts';
import { argumentOf, commandNames, maxGuidanceLength, offeredCommands } from '../commands.ts';
import { statuses } from '../words.ts';
import { count, instant, loopKey } from './shapes.ts';

const commandId = z.string().min(1).max(100).optional().describe('The same id twice acts once.');

/** `POST /api/loops/{key}/commands`; `resume` has a request of its own. */
export const commandRequest = z.union(
  offeredCommands
    .filter((name) => name !== 'resume')
    .map((command) => {
      const takes = argumentOf(command);
      return z.strictObject({
        id: commandId,
        command: z.literal(command),
        ...(takes === undefined ? {} : commandArguments[takes]),
      });
    }),
);

/** The loop has accepted a command. A refusal is an error, `COMMAND_REFUSED`. */
export const commandAnswer = z.object({
  loopId: z.string(),
  command: z.enum(commandNames),
  accepted: z.literal(true),
  status: z.enum([...statuses, 'idle']),
  effect: z.string().describe("What the loop does now; follows the loop's name."),
});

const text = z.string().min(1).max(maxGuidanceLength);
const line = z.string().min(1).max(1_000);
const bound = z.int().min(0);

/** `POST /api/loops`: start a loop. What is missing comes from the settings of the project. */
export const startRequest = z.strictObject({
  project: z.string().optional().describe('Its key; may be missing if the server shows one project.'),
  task: text.optional().describe('Missing: the prompt of the settings, or PROMPT.md.'),
  agent: line.optional(),
  model: line.optional(),
  verify: z.array(line).max(20).optional().describe('Commands that prove the task done.'),
  trustPromise: z.boolean().optional(),
  permissions: z.enum(['ask', 'edit', 'full']).optional(),
  maxIterations: bound.optional().describe('0 for no limit.'),
  maxTime: line.optional().describe('A duration such as `8h`.'),
  maxCostUsd: z.number().positive().optional(),
  maxTokens: z.int().positive().optional(),
  worktree: z.union([z.boolean(), line]).optional().describe('Work in a git worktree of its own; a text is its name.'),
  allowBrokenBaseline: z.boolean().optional(),
});

/** `POST /api/loops/{key}/resume` */
export const resumeRequest = z.strictObject({
  raise: z
    .array(z.strictObject({ setting: line, to: z.number().positive() }))
    .max(20)
    .optional()
    .describe('Limits and their new values.'),
  acceptConditions: z.boolean().optional(),
  acceptGate: z.boolean().optional(),
  allowBrokenBaseline: z.boolean().optional(),
  asNew: z.boolean().optional().describe('Continue an ended loop in a new one.'),
  force: z.boolean().optional().describe('End a frozen owner first.'),
});

/** A loop runs in a process of its own now. */
export const startAnswer = z.object({
  key: loopKey,
  loopId: z.string(),
  pid: count.exactOptional().describe('The process; missing if the one that runs the loop already continues it.'),
  warnings: z.array(z.string()),
});

/** `POST /api/session`: exchanges the token of a link for a cookie. */
export const sessionRequest = z.strictObject({ token: z.string().min(1).max(200) });

/** The other half of a session: a cookie is sent to every server on the same machine, this is not. */
export const sessionAnswer = z.object({
  key: z.string().describe('Send it with every request, in the header X-Ralphd-Key.'),
});

/** `POST /api/session/links`: a link for another device. */
export const linkAnswer = z.object({
  url: z.string().describe('Works once.'),
  expiresAt: instant,
});
