import * as z from 'zod';
import { hostSession, worktree } from '../facts/shapes.ts';
import { modes } from '../modes.ts';
import { proofLevels, statuses, stopReasons } from '../words.ts';
import { advice, count, instant, loopKey, nowMs, project } from './shapes.ts';
import { ruleStanding } from './view.ts';

/** What a person has to know about a loop first. */
export const shownStates = [
  'starting',
  'running',
  'verifying',
  'waiting',
  'parked',
  'hosted',
  'asking',
  'paused',
  'needs',
  'crashed',
  'frozen',
  'proven',
  'green',
  'claimed',
  'stopped',
  'aborted',
] as const;

/** Where the list of loops shows a loop. */
export const loopGroups = ['needs you', 'running', 'waiting', 'finished'] as const;

/** The result of an iteration in one word. */
export const iterationSigns = [
  'proven',
  'claimed',
  'better',
  'still',
  'refused',
  'failed',
  'skipped',
  'unknown',
  'open',
] as const;

/** Whether a process runs a loop. */
export const ownerStates = ['none', 'working', 'stopped', 'dead', 'unknown'] as const;

/** A loop in the list of all loops. */
export const loopRow = z.object({
  key: loopKey,
  id: z.string(),
  name: z.string().describe('The id without its prefix and suffix.'),
  project,
  seq: count.describe('The number of its last fact, as far as the row knows.'),
  task: z.string().describe('The beginning of the task, on one line.'),
  agent: z.string(),
  status: z.enum([...statuses, 'idle']),
  state: z.enum(shownStates),
  group: z.enum(loopGroups),
  sentence: z.string().describe('What it does, or how it ended.'),
  need: advice
    .extend({ cause: z.string().describe('Why it needs a person.') })
    .exactOptional()
    .describe('Present if and only if the loop needs a person.'),
  iteration: count,
  finished: count.describe('The number of finished iterations.'),
  maxIterations: count.describe('0 for no limit.'),
  trail: z.array(z.enum(iterationSigns)).describe('The newest fifteen iterations, oldest first.'),
  tests: z.object({ passed: count, failed: count, total: count }).exactOptional().describe('Missing if unknown.'),
  cost: z.object({
    usd: z.number().nullable().describe('Null if no run reported a cost.'),
    unreportedRuns: count.describe('Above 0, the cost is only a lower bound.'),
  }),
  runningMs: z.number(),
  startedAt: instant.exactOptional(),
  lastActivityAt: instant.exactOptional(),
  endedAt: instant.exactOptional(),
  reason: z.enum(stopReasons).exactOptional(),
  verified: z.boolean(),
  proof: z.enum(proofLevels),
  doubts: count,
  mode: z.enum(modes),
  owner: z.enum(ownerStates),
  nextStop: ruleStanding.exactOptional().describe('The rule that is nearest to stopping it.'),
  waitUntil: instant.exactOptional(),
  wakeAt: instant.exactOptional(),
  hostSession: hostSession.exactOptional(),
  worktree: worktree.exactOptional(),
  landedIn: z.string().exactOptional(),
  resumedFrom: z.string().exactOptional(),
});

/** A loop that cannot be read. Nothing was changed. */
export const unreadableLoop = z.object({
  key: loopKey,
  id: z.string(),
  project,
  problem: z
    .enum(['damaged', 'newer', 'locked', 'lost', 'other'])
    .describe('`locked`: encrypted, and its key was not found.'),
  code: z.string(),
  message: z.string(),
  hint: z.string(),
});

/** `GET /api/loops` */
export const loopList = z.object({
  nowMs,
  loops: z.array(loopRow).describe('Newest first.'),
  unreadable: z.array(unreadableLoop),
  omitted: count.describe('How many ended loops are left out, the oldest ones.'),
});
