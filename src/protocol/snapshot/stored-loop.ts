import * as z from 'zod';
import { guard } from '../facts/guard.ts';
import {
  apiCalls,
  check,
  checkCommand,
  conditionResult,
  count,
  hostSession,
  instant,
  judgedTree,
  measure,
  obstacle,
  processIdentity,
  quality,
  sender,
  testCounts,
  usage,
  worktree,
} from '../facts/shapes.ts';
import {
  failureClasses,
  foreignSystems,
  phases,
  proofLevels,
  rebootCauses,
  statuses,
  stopReasons,
  verdicts,
} from '../words.ts';
import { currentAttempt, gateResult, guidance } from './stored-attempt.ts';
import { storedHooks } from './stored-hooks.ts';
import { storedNotes } from './stored-notes.ts';
import { decisionRequests, storedSupervision } from './stored-supervision.ts';
import { storedChanged, storedSpent, storedStats } from './stored-totals.ts';

const names = z.array(z.string());
const judgedIteration = z.object({ iteration: count, quality });
const remembered = z.object({ name: z.string(), results: z.string().describe('`p` passed, `f` failed, newest last.') });

/** What a person requested and the loop has yet to do. */
const requests = z.object({
  pause: z
    .object({
      now: z.boolean(),
      reason: z.enum(['user_pause', 'interrupted', 'environment']),
      message: z.string().exactOptional(),
      at: instant.exactOptional(),
      sender: sender.exactOptional(),
    })
    .exactOptional(),
  end: z
    .object({ gracefully: z.boolean(), at: instant.exactOptional(), sender: sender.exactOptional() })
    .exactOptional(),
  skip: z.literal(true).exactOptional(),
  reboot: z.literal(true).exactOptional(),
  resume: z.literal(true).exactOptional(),
  rollback: z.literal(true).exactOptional(),
  ...decisionRequests,
});

const wait = z.object({
  until: instant,
  cause: z.enum(['delay', 'limit', 'environment', 'unknown', 'reboot', 'schedule', 'rate']),
  message: z.string(),
  since: instant.exactOptional(),
});

const owed = z.union([
  z.object({ cause: z.literal('delay') }),
  z.object({
    cause: z.enum(['limit', 'environment', 'unknown', 'configuration', 'hook', 'obstacle']),
    message: z.string(),
    resetAt: instant.exactOptional(),
  }),
]);

const session = z.object({
  id: z.string().exactOptional(),
  startedAt: instant,
  iterations: count,
  usage: usage.exactOptional(),
  contextPercent: z.number().exactOptional(),
  executionMs: z.number().exactOptional(),
  lastActivityAt: instant.exactOptional(),
  estimatedTokens: count.exactOptional(),
  rebootPattern: z.string().exactOptional(),
  samples: z
    .array(z.object({ quality: count, durationMs: z.number(), percent: z.number().exactOptional() }))
    .exactOptional()
    .describe('The latest iterations of a session that is continued, newest last.'),
});

const reboot = z.object({
  at: instant,
  cause: z.enum(rebootCauses),
  iteration: count.describe('The number of iterations that had finished.'),
  ok: z.boolean(),
  message: z.string().exactOptional(),
});

const endedSession = z.object({
  id: z.string().exactOptional(),
  startedAt: instant,
  endedAt: instant,
  iterations: count,
  endReason: z.enum([...rebootCauses, 'iteration']),
  executionMs: z.number().exactOptional(),
  contextPercent: z.number().exactOptional(),
});

const baseline = z.object({
  verdict: z.enum(verdicts),
  checks: z.array(check),
  tests: testCounts.exactOptional(),
  obstacle: obstacle.exactOptional(),
  warnings: names.exactOptional(),
  writes: names.exactOptional(),
});

const completionCheck = z.object({
  iteration: count,
  at: instant,
  passed: z.boolean(),
  isUnchanged: z.literal(true).exactOptional(),
  output: z.string(),
});

const rememberedTest = remembered.extend({
  file: z.string().exactOptional(),
  passes: count.exactOptional(),
  failures: count.exactOptional(),
  error: z.string().exactOptional(),
  untold: z.literal(true).exactOptional(),
});

const lastFailure = z.object({
  class: z.enum(failureClasses),
  message: z.string(),
  signature: z.string(),
  streak: count,
  matches: names.exactOptional(),
});

const lastResult = z.object({
  success: z.boolean(),
  files: names,
  tests: z.object({ passed: count, failed: count }).exactOptional(),
  summary: z.string().exactOptional(),
});

const sealedEnvironment = z.object({ id: z.string(), digest: z.string(), folders: names, files: count, bytes: count });

/** The origin of the loop, and its current status. */
const identity = {
  id: z.string(),
  uuid: z.string().default(''),
  status: z.enum([...statuses, 'idle']),
  phase: z.enum(phases).default('starting'),
  task: z.string().default(''),
  agent: z.string().default(''),
  workingDirectory: z.string().default(''),
  worktree: worktree.exactOptional(),
  startedBy: z.string().default(''),
  resumedFrom: z.string().exactOptional(),
  earlierIterations: count.exactOptional(),
  imported: z
    .object({
      from: z.enum(foreignSystems),
      id: z.string().exactOptional(),
      path: z.string(),
      digest: z.string(),
      endedAt: instant.exactOptional(),
    })
    .exactOptional()
    .describe('The document of another system from which the loop was imported.'),
  chosen: names.exactOptional(),
  warnings: names.exactOptional().describe('Warnings shown when the loop started.'),
  config: z.looseObject({}).describe('The settings, as in a configuration file.'),
  configHash: z.string().default(''),
  startedAt: instant.exactOptional(),
  lastActivityAt: instant.exactOptional(),
  endedAt: instant.exactOptional(),
  reason: z.enum(stopReasons).exactOptional(),
  message: z.string().exactOptional(),
  verified: z.boolean().default(false),
  proof: z.enum(proofLevels).exactOptional().describe('Missing in snapshots of the first releases.'),
  seq: z.int().describe('The number of the last fact included.'),
  epoch: count.default(0),
  owner: processIdentity.exactOptional(),
  recoveries: count.default(0),
};

/** The current iteration, and what comes next. */
const position = {
  iteration: count.default(0),
  attempt: count.default(0),
  finished: count.default(0).describe('Number of finished iterations that count.'),
  current: currentAttempt.exactOptional(),
  earned: z.enum(['verified', 'trusted']).exactOptional(),
  requests: requests.default({}),
  wait: wait.exactOptional(),
  owed: owed.exactOptional(),
  wakeAt: instant
    .exactOptional()
    .describe('When to resume the loop, if its owner shut down cleanly while the loop waits.'),
  hostSession: hostSession.exactOptional().describe('The interactive session that works on the loop.'),
  rebootWaits: count.exactOptional().describe('After how many failed reboots in a row the loop has waited.'),
  retries: z
    .object({ limit: count, environment: count, unknown: count, reboot: count.default(0) })
    .default({ limit: 0, environment: 0, unknown: 0, reboot: 0 }),
  guidance: z.array(guidance).default([]),
  guidanceCount: count.default(0).describe('Number of pieces of guidance given so far.'),
  supervision: storedSupervision,
  hooks: storedHooks,
  servedCommands: z.array(z.object({ id: z.string(), refusedBecause: z.string().exactOptional() })).default([]),
};

/** What the gate runs, and its results. */
const gate = {
  checks: z.array(checkCommand).default([]),
  foundTest: z.string().exactOptional(),
  readings: z.array(z.object({ said: z.string(), commands: names })).exactOptional(),
  guards: z.array(guard).exactOptional(),
  start: judgedTree.exactOptional(),
  checkWrites: names.exactOptional(),
  masked: names.exactOptional(),
  environment: sealedEnvironment.exactOptional(),
  base: z.object({ ref: z.string(), commit: z.string() }).exactOptional(),
  protectedFiles: z.object({ changed: names, created: names }).default({ changed: [], created: [] }),
  baseline: baseline.exactOptional(),
  obstacle: z.object({ code: z.string(), gates: count }).exactOptional(),
  gate: z.object({ iteration: count, result: gateResult }).exactOptional(),
  completionChecks: z.array(completionCheck).default([]),
  tests: testCounts.exactOptional(),
  testMemory: z.array(rememberedTest).default([]),
  checkMemory: z.array(remembered).default([]),
};

/** Its progress, and what it hands over to the next session. */
const progress = {
  stats: storedStats,
  runningMs: z.number().default(0),
  changed: storedChanged,
  recentCalls: z.array(apiCalls).default([]),
  spent: storedSpent,
  session: session.exactOptional(),
  sessionHistory: z.array(endedSession).default([]),
  handOff: z.boolean().default(false),
  contextWindow: count.exactOptional().describe('The size of the context window that an agent reported last.'),
  reboots: z.array(reboot).exactOptional().describe('The latest reboots, newest last.'),
  spiral: z
    .object({ iteration: count, reads: count, isCorrected: z.literal(true).exactOptional() })
    .exactOptional()
    .describe('The latest run only explored, and whether a prompt said so.'),
  lastFailure: lastFailure.exactOptional(),
  matchedPattern: z.string().exactOptional(),
  observed: z.array(conditionResult).exactOptional(),
  outputMatches: names.exactOptional(),
  denied: z.object({ iteration: count, count, tools: names }).exactOptional(),
  hookStop: z.object({ hook: z.string(), reason: z.string() }).exactOptional(),
  summaries: z.array(z.object({ iteration: count, text: z.string() })).default([]),
  notes: storedNotes,
  lastProgressIteration: count.default(0),
  best: judgedIteration.exactOptional(),
  lastChecked: judgedIteration.exactOptional(),
  recentScores: z.array(z.number()).default([]),
  recentQuality: z
    .array(z.object({ iteration: count, score: z.number() }))
    .exactOptional()
    .describe('The quality of the latest checked iterations from 0 to 100, newest last.'),
  touchedFiles: names.default([]),
  lastResult: lastResult.exactOptional(),
  measures: z
    .array(measure.extend({ best: z.number(), was: z.number().exactOptional(), betterIn: count.exactOptional() }))
    .default([]),
};

/** The loop under `ralphd.loop` in `state.json`. Fields added later have defaults, so that older snapshots can be read. */
export const storedLoopSchema = z
  .object({ ...identity, ...position, ...gate, ...progress })
  .describe('The full state of a loop, folded from its facts; a reader needs only the facts after `seq` in addition.');

/** The loop that a snapshot holds. */
export type StoredLoop = z.output<typeof storedLoopSchema>;
