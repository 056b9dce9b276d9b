import * as z from 'zod';
import { storedLoopSchema } from '../snapshot/stored-loop.ts';
import { failureClasses, proofLevels, statuses, verdicts } from '../words.ts';
import { changedFile } from './iteration.ts';
import { loopGroups, loopRow, shownStates, unreadableLoop } from './loops.ts';
import { advice, count, instant, loopKey, nowMs, project } from './shapes.ts';
import { doubt } from './view.ts';

const tone = z.enum(['good', 'look', 'bad', 'plain']);
const texts = z.array(z.string());

/** What a loop used; a missing number of unreported runs is 0. */
const spent = storedLoopSchema.shape.spent;

/** A report in words, for every format. */
export const reportText = z.object({
  id: z.string(),
  task: z.string(),
  badge: z.object({ word: z.string(), tone }),
  caution: z.string().exactOptional().describe('How many things to review before the result is used.'),
  headline: z.string(),
  because: texts,
  figures: z.array(z.tuple([z.string(), z.string()])).describe('Names and values.'),
  trust: z.array(z.object({ tone, command: z.string().exactOptional(), text: z.string() })),
  iterations: z.array(
    z.object({
      number: z.string(),
      mark: z.string(),
      tone,
      outcome: z.string(),
      failing: z.string(),
      files: z.string(),
      lines: z.string(),
      cost: z.string(),
      time: z.string(),
    }),
  ),
  omitted: z.string().exactOptional(),
  chain: z
    .object({
      loops: z.array(
        z.object({ id: z.string(), status: z.string(), iterations: z.string(), cost: z.string(), isThis: z.boolean() }),
      ),
      total: z.string(),
    })
    .exactOptional(),
  interludes: texts,
  files: z.array(z.object({ path: z.string(), added: z.string(), removed: z.string(), isOpaque: z.boolean() })),
  filesNote: z.string().exactOptional(),
  lastWords: z.string().exactOptional().describe("The agent's own words."),
  next: z.array(advice),
});

/** `GET /api/loops/{key}/report` */
export const loopReport = z.object({
  key: loopKey,
  loopId: z.string(),
  status: z.enum([...statuses, 'idle']),
  state: z.enum(shownStates),
  group: z.enum(loopGroups),
  startedAt: instant.exactOptional(),
  untilAt: instant.describe('When it ended, or when its newest fact was written.'),
  isOver: z.boolean(),
  proof: z.object({
    verified: z.boolean(),
    level: z.enum(proofLevels),
    checks: z.array(
      z.object({
        command: z.string(),
        before: z.enum(verdicts).exactOptional(),
        now: z.enum(verdicts).exactOptional(),
        exitCode: z.int().exactOptional(),
        durationMs: z.number().exactOptional(),
      }),
    ),
    doubts: z.array(doubt),
    warnings: texts,
    tampered: texts,
    accepted: texts,
  }),
  spent,
  runningMs: z.number(),
  agentMs: z.number(),
  waitedMs: z.number(),
  pausedMs: z.number(),
  files: z.array(changedFile).nullable(),
  text: reportText,
  markdown: z.string().describe('The report as a document, to copy.'),
});

/** `GET /api/report?since=` */
export const nightReport = z.object({
  since: instant,
  nowMs,
  sentence: z.string().describe('What needs you and what is proven.'),
  counts: z.object({ needYou: count, proven: count, notProven: count, running: count, waiting: count }),
  money: z.object({
    usd: z.number().nullable().describe('Of these loops; null if no run reported a cost.'),
    unreportedRuns: count.describe('Above 0, the cost is only a lower bound.'),
  }),
  loops: z
    .array(z.object({ row: loopRow, receipt: reportText.nullable().describe('Null if the loop could not be read.') }))
    .describe('Those that need you, then the proven, then the others; at most 100.'),
  omitted: count.describe('How many loops are not listed.'),
  unreadable: z.array(unreadableLoop),
  markdown: z.string().describe('The report as a document, to copy.'),
});

const results = {
  started: count,
  ended: count,
  proven: count.describe('Completed, and proven by checks.'),
  alreadyGreen: count.describe('Completed, but the checks passed before the first iteration as well.'),
  unproven: count.describe("Completed on the agent's word."),
  successRate: z.number().nullable().describe('The share of proven loops among those that ended.'),
  perProvenTask: z.object({
    costUsd: z.number().nullable(),
    costUnknown: count.describe('How many proven loops are left out of it.'),
    costUsdWithFailures: z
      .number()
      .nullable()
      .describe('The cost of all loops that ended, divided by the proven ones.'),
    runningMs: z.number().nullable(),
  }),
  cost: z.object({ usd: z.number().nullable(), unknownLoops: count }),
};

/** `GET /api/numbers`: what loops brought and what that took; null stands for what cannot be known, never for 0. */
export const numbers = z.object({
  since: instant.exactOptional(),
  ...results,
  agents: z.array(z.object({ agent: z.string(), model: z.string().exactOptional(), ...results })),
  days: z.array(z.object({ day: z.string().describe('As `2026-11-18`, in the time of this machine.'), ...results })),
  failures: z.array(
    z.object({ agent: z.string(), model: z.string().exactOptional(), class: z.enum(failureClasses), count }),
  ),
  unreadable: count.describe('How many loops cannot be read; they are in no number.'),
});

/** `GET /api/server` */
export const serverInfo = z.object({
  version: z.string(),
  host: z.string().describe('The name of the machine.'),
  user: z.string().exactOptional(),
  pid: count,
  startedAt: instant,
  nowMs,
  control: z.boolean().describe('Whether loops can be commanded, started and resumed from here.'),
  starts: z.boolean().describe('Whether loops can be started from here.'),
  isAll: z.boolean().describe("Whether it shows all of this user's projects."),
  projects: z.array(project),
  agents: z.array(
    z.object({
      agent: z.string(),
      isInstalled: z.boolean(),
      version: z.string().exactOptional(),
      signedIn: z.string().exactOptional().describe('How it is signed in; missing if nothing shows it.'),
    }),
  ),
});

/** `GET /healthz` */
export const health = z.object({ status: z.literal('ok'), version: z.string() });
