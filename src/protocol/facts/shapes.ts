import * as z from 'zod';
import { proofs, severities, verdicts } from '../words.ts';

/** An instant, RFC 3339 in UTC. */
export const instant = z.iso.datetime();
/** A number of things. */
export const count = z.int().min(0);
/** A duration in milliseconds. */
export const durationMs = z.number().min(0);

/** Time since the owner's previous accounting, on a clock that does not count suspended time. */
export const elapsedMs = durationMs.describe('Running time since the last accounting, from a monotonic clock.');

/** Which attempt of which iteration; an interrupted or free attempt keeps its iteration's number. */
export const attempt = { iteration: z.int().min(1), attempt: z.int().min(1) };

/** A process named so that a reused pid is never mistaken for it. */
export const processIdentity = z.object({
  host: z.string(),
  bootId: z.string(),
  pid: z.int(),
  startTime: z.string(),
});
/** A process, beyond doubt. */
export type ProcessIdentity = z.output<typeof processIdentity>;

/** How a process ended. */
export const ending = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('exited'), code: z.int() }),
  z.object({ kind: z.literal('signalled'), signal: z.string() }),
  z.object({
    kind: z.literal('stopped'),
    by: z.enum(['timeout', 'start', 'idle', 'output', 'result', 'budget', 'request']),
    forced: z.boolean(),
  }),
  z.object({ kind: z.literal('not_started'), code: z.string(), message: z.string() }),
  z.object({ kind: z.literal('lost') }),
]);
/** How a process ended. */
export type Ending = z.output<typeof ending>;

/** What an agent says a run cost. A field that is missing was not reported: it is unknown, not 0. */
export const usage = z.object({
  inputTokens: count.optional(),
  outputTokens: count.optional(),
  cacheReadTokens: count.optional(),
  cacheWriteTokens: count.optional(),
  costUsd: z.number().min(0).optional(),
  toolCalls: count.optional(),
  context: z.object({ used: count, size: z.int().min(1) }).optional(),
});
/** What a run cost, as far as it was reported. */
export type Usage = z.output<typeof usage>;

/** The commit that was checked out when a run ended. */
const commit = z.object({
  id: z.string(),
  isWhole: z.boolean().describe('It holds all that was there; otherwise some of it was not committed.'),
});

/** What a run changed in the work tree; `known: false` means it could not be told. */
export const changes = z.object({
  known: z.boolean(),
  headMoved: z.boolean(),
  modified: z.array(z.string()),
  created: z.array(z.string()),
  deleted: z.array(z.string()),
  /** All changed files, also those beyond the bounded lists. */
  count,
  /** Protected files among them; changed are modified or deleted ones that the loop did not write itself. */
  protected: z.object({ changed: z.array(z.string()), created: z.array(z.string()) }).optional(),
  commit: commit.optional().describe('Where HEAD stood at the end; missing where there is no commit.'),
});
/** What a run changed. */
export type Changes = z.output<typeof changes>;

/** Test counts from a run that ralphd made itself. */
export const testCounts = z.object({
  framework: z.string(),
  total: count,
  passed: count,
  failed: count,
  skipped: count,
  failing: z.array(z.string()),
  /** Names of tests that passed, as far as the report gives them. */
  passing: z.array(z.string()).optional(),
  failures: z
    .array(z.object({ name: z.string(), file: z.string().optional(), error: z.string().optional() }))
    .optional()
    .describe('What the report says of failing tests: where they stand and what they said, bounded.'),
});
/** Test counts. */
export type TestCounts = z.output<typeof testCounts>;

/** A number that the gate gave: problems that a linter counts, coverage in percent, or one of the user's own. */
export const measure = z.object({
  of: z.enum(['lint', 'coverage', 'metric']),
  name: z.string().describe('Which tool counted it, or how the user calls it.'),
  check: z.string().optional().describe('The check that printed it; missing for a metric.'),
  value: z.number(),
});
/** A number that the gate gave. */
export type Measure = z.output<typeof measure>;

/** A command of the gate: the user's own shell line, or a program with its arguments. */
export const checkCommand = z.union([z.string(), z.array(z.string()).min(1)]);
/** A command of the gate. */
export type CheckCommand = string | readonly string[];

/** One command of the gate and what came of it. */
export const check = z.object({
  command: z.string(),
  verdict: z.enum(verdicts),
  exitCode: z.int().optional(),
  durationMs,
  /** The end of what it printed, bounded. */
  output: z.string(),
  outputDigest: z.string().optional().describe('SHA-256 of everything it printed.'),
});
/** A check and its verdict. */
export type Check = z.output<typeof check>;

/** The files that a verdict is about: every file that is not ignored, byte by byte. */
export const judgedTree = z.object({
  id: z.string().describe('Id of the git tree that has exactly these files.'),
  files: count,
  bytes: count,
});
/** The files that a verdict is about. */
export type JudgedTree = z.output<typeof judgedTree>;

/** Why the checks could not be run at all, for a reason that the agent cannot remove. */
export const obstacle = z.object({
  code: z.string().describe('Which obstacle it is; the same one twice in a row pauses the loop.'),
  message: z.string(),
  fix: z.string().describe('What the user can do about it.'),
});
/** Why the checks could not be run at all. */
export type Obstacle = z.output<typeof obstacle>;

/** What a look at the world said about one condition; `met: null` means it could not be told. */
export const conditionResult = z.object({
  key: z.string().describe('Where the condition stands in the settings: `stop.0`.'),
  met: z.boolean().nullable(),
  detail: z.string().optional().describe('What was seen.'),
});
/** What a look at the world said about one condition. */
export type ConditionResult = z.output<typeof conditionResult>;

/** Whether the iteration moved the work on; `made: null` means it could not be told. */
export const progress = z.object({
  made: z.boolean().nullable(),
  evidence: z.array(z.string()),
  score: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('How much, 0 to 1; missing when it could not be told, and in journals of the first releases.'),
});
/** Progress and its evidence. */
export type Progress = z.output<typeof progress>;

const notedIssue = z.object({
  text: z.string(),
  severity: z.enum(severities),
  files: z.array(z.string()).optional(),
});
/** Something that an agent says is wrong. */
export type NotedIssue = z.output<typeof notedIssue>;

/** What an agent notes for those after it: quotations of its own words, each one line. */
export const runNotes = z.object({
  decisions: z.array(z.object({ text: z.string(), why: z.string().optional() })).optional(),
  issues: z.array(notedIssue).optional(),
  resolved: z.array(z.string()).optional().describe('Issues that are addressed: their numbers or their words.'),
  done: z.array(z.string()).optional(),
  pending: z.array(z.string()).optional().describe('All that is left to do; empty when it says that nothing is.'),
  values: z.array(z.object({ key: z.string(), value: z.string() })).optional(),
});
/** What an agent notes. */
export type RunNotes = z.output<typeof runNotes>;

/** How good the work was when an iteration ended, as far as ralphd saw itself. */
export const quality = z.object({
  proof: z.enum(proofs).describe('What the checks prove.'),
  checks: z.object({ passed: count, total: count }).optional(),
  tests: z
    .object({ passed: count, failed: count, flaky: count.describe('How many of the failed ones are flaky.') })
    .optional(),
  worked: z.boolean().describe('The run of the agent did not fail.'),
  files: count.nullable().describe('How many files it changed; null when that could not be told.'),
  headMoved: z.boolean(),
  commit: commit.optional(),
});
/** How good an iteration was. */
export type Quality = z.output<typeof quality>;
