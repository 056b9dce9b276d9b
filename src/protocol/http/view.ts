import * as z from 'zod';
import { activeSandboxModes } from '../config/sandbox.ts';
import {
  apiCalls,
  count,
  durationMs,
  hostSession,
  instant,
  measure,
  processIdentity,
  quality,
  sender,
  testCounts,
  worktree,
} from '../facts/shapes.ts';
import { askReasons, modes, questionPoints, switchMoments } from '../modes.ts';
import { storedLoopSchema } from '../snapshot/stored-loop.ts';
import { conditionSets, phases, proofLevels, statuses, stopReasons, verdicts } from '../words.ts';

const names = z.array(z.string());
const stored = storedLoopSchema.shape;

/** How close a stop rule is to stopping the loop. */
export const ruleStanding = z.object({
  rule: z.enum(stopReasons),
  kind: z.enum(['limit', 'rule']).describe('A limit that the user set may pause the loop; other rules end it.'),
  near: z
    .number()
    .nullable()
    .describe('0 to 1; 1 means that no further iteration may start. Null: it cannot be measured.'),
  evidence: z.string(),
  set: z.enum(conditionSets).exactOptional().describe('For a user-defined condition: its set.'),
  key: z.string().exactOptional().describe('For a user-defined condition: its place in the settings.'),
  description: z.string().exactOptional(),
});

const testRecord = z.object({
  id: z.string(),
  name: z.string(),
  file: z.string().exactOptional(),
  status: z.enum(['passed', 'failed', 'unknown']),
  passStreak: count,
  failStreak: count,
  passes: count,
  failures: count,
  flaky: z.boolean(),
  lastError: z.string().exactOptional(),
  results: z.string().describe('The newest twenty, newest last: `p` passed, `f` failed.'),
});

/** The latest counted run of the tests. */
const testSummary = testCounts
  .pick({ framework: true, total: true, passed: true, failed: true, skipped: true })
  .extend({
    failureStreak: count,
    fixed: names,
    broken: names,
    flaky: names,
    stubborn: z.array(testRecord),
  });

const bestResult = z.union([
  z.object({ kind: z.literal('iteration'), iteration: count, quality }),
  z.object({ kind: z.literal('start'), quality: quality.pick({ checks: true, tests: true }) }),
]);

/** How fast the loop makes progress. */
export const pace = z.object({
  velocity: z.number().nullable(),
  streak: count,
  recommendation: z.enum(['continue', 'monitor', 'consider_change', 'stop']),
  returns: z
    .object({ trend: z.enum(['gaining', 'diminishing', 'plateau']), since: count.exactOptional(), score: z.number() })
    .exactOptional(),
});

/** The agent's session. */
export const agentSession = z.object({
  startedAt: instant,
  iterations: count,
  isContinued: z.boolean(),
  context: z
    .object({
      percent: z.number(),
      level: z.enum(['low', 'medium', 'high', 'warning', 'redline']),
      source: z.enum(['reported', 'estimated']),
    })
    .exactOptional(),
  isDegraded: z.boolean(),
  advice: z.enum(['continue', 'finish_and_reboot', 'immediate_reboot', 'manual']),
});

/** A reason to look at a result before it is taken. */
export const doubt = z.object({ code: z.string(), message: z.string(), files: names.exactOptional() });

/** What `ralphd status` shows of a loop, without the list of every test that ever failed. */
export const loopView = z.object({
  version: count,
  id: z.string(),
  uuid: z.string(),
  status: z.enum([...statuses, 'idle']),
  phase: z.enum(phases),
  reason: z.enum(stopReasons).exactOptional(),
  message: z.string().exactOptional(),
  verified: z.boolean(),
  proof: z.enum(proofLevels),
  iteration: count,
  attempt: count,
  current: z
    .object({ startedAt: instant, stage: z.enum(['begun', 'executing', 'executed', 'verifying', 'verified']) })
    .exactOptional()
    .describe('The current attempt.'),
  requested: z
    .array(z.enum(['pause', 'pause_now', 'stop', 'abort', 'skip', 'reboot', 'resume', 'guide']))
    .describe('Accepted commands that are not carried out yet.'),
  requestedBy: sender.exactOptional(),
  maxIterations: count.describe('0 for no limit.'),
  agent: z.string(),
  task: z.string(),
  workingDirectory: z.string(),
  worktree: worktree.exactOptional(),
  startedAt: instant.exactOptional(),
  lastActivityAt: instant.exactOptional(),
  endedAt: instant.exactOptional(),
  sandbox: z.enum(activeSandboxModes).exactOptional(),
  runningMs: durationMs,
  resumedFrom: z.string().exactOptional(),
  mode: z.enum(modes),
  nextMode: z.object({ mode: z.enum(modes), when: z.enum(switchMoments) }).exactOptional(),
  question: z
    .object({
      point: z.enum(questionPoints),
      iteration: count,
      why: z.array(z.enum(askReasons)),
      askedAt: instant,
      approveAt: instant.exactOptional(),
    })
    .exactOptional(),
  wait: stored.wait,
  wakeAt: instant.exactOptional(),
  hostSession: hostSession.exactOptional(),
  agentProcess: processIdentity.exactOptional(),
  stats: stored.stats,
  spent: stored.spent,
  resources: z.looseObject({ recentCalls: z.array(apiCalls) }).exactOptional(),
  progress: pace.extend({ recentScores: z.array(z.number()), lastIteration: count }),
  agentSession: agentSession.exactOptional(),
  reboots: stored.reboots.unwrap(),
  best: z.object({ iteration: count, quality }).exactOptional(),
  bestResult: bestResult.exactOptional(),
  notes: stored.notes,
  changedProtected: names,
  denied: z.object({ iteration: count, count, tools: names }).exactOptional(),
  lastGate: z.object({ iteration: count, verdict: z.enum(verdicts), tampered: names.exactOptional() }).exactOptional(),
  doubts: z.array(doubt),
  warnings: names,
  tests: testSummary.exactOptional(),
  measures: z.array(
    measure.extend({ best: z.number(), was: z.number().exactOptional(), betterIn: count.exactOptional() }),
  ),
  rules: z.array(ruleStanding),
  resume: z
    .object({ raise: z.array(z.object({ setting: z.string(), to: z.number() })) })
    .exactOptional()
    .describe('How a paused loop continues, with the limits to raise.'),
});
