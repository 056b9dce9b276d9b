import * as z from 'zod';
import { commandNames } from '../commands.ts';
import { hookFacts } from '../facts/hook-facts.ts';
import { iterationFacts } from '../facts/iteration-facts.ts';
import { sender, testCounts, usage } from '../facts/shapes.ts';
import { proofLevels, statuses, verdicts } from '../words.ts';
import { iterationSigns, ownerStates, shownStates } from './loops.ts';
import { advice, count, counts, cursor, instant, loopKey, nowMs, project } from './shapes.ts';
import { agentSession, doubt, loopView, pace, ruleStanding } from './view.ts';

const names = z.array(z.string());

/** One attempt at an iteration, according to its facts. */
const attemptAccount = z.object({
  attempt: count,
  startedAt: instant,
  endedAt: instant.exactOptional(),
  session: z.enum(['fresh', 'continue']),
  guidance: count,
  agentStartedAt: instant.exactOptional(),
  hooks: hookFacts['hooks.finished'].data.shape.results,
  run: iterationFacts['agent.finished'].data.exactOptional(),
  conditions: iterationFacts['conditions.observed'].data.shape.results,
  gateStartedAt: instant.exactOptional(),
  gate: iterationFacts['gate.finished'].data.exactOptional(),
  interrupted: iterationFacts['iteration.interrupted'].data.exactOptional(),
});

/** Everything that is recorded about one iteration. */
export const iterationAccount = z.object({
  iteration: count,
  attempts: z.array(attemptAccount),
  finished: iterationFacts['iteration.finished'].data.exactOptional(),
  testsBefore: testCounts.exactOptional(),
});

/** An iteration at a glance. */
export const iterationRow = z.object({
  iteration: count,
  attempts: count,
  sign: z.enum(iterationSigns),
  startedAt: instant,
  endedAt: instant.exactOptional(),
  durationMs: z.number().exactOptional(),
  claimed: z.boolean(),
  verdict: z.enum(verdicts).exactOptional(),
  failedTests: count.exactOptional(),
  failedBefore: count.exactOptional(),
  files: count.nullable(),
  lines: z.object({ added: count, removed: count }).exactOptional(),
  costUsd: z.number().nullable(),
  tokens: z.number().nullable(),
  score: z.number().exactOptional(),
  failure: z.string().exactOptional(),
  what: z.string().describe('What stands out in it, in a few words.'),
  failed: z.string().exactOptional().describe('How the run of its agent failed.'),
});

/** The iterations so far: continue it with every fact above `seq`. */
const history = z.object({
  fold: z.object({
    open: iterationAccount.exactOptional().describe('The newest iteration, which a later fact may still change.'),
    tests: testCounts.exactOptional(),
  }),
  closed: z.array(iterationRow).describe('The newest ones before the open one, oldest first; at most 200.'),
  counts: counts.describe('Of all closed ones, by sign.'),
  refused: count.describe('How many claims were refused in closed ones.'),
  seq: count,
});

/** One block of the figure of the night: an iteration, or several with the worst sign. */
export const nightBlock = z.object({
  first: count,
  last: count,
  sign: z.enum(iterationSigns),
  startedAt: instant,
  endedAt: instant,
  failedTests: count.exactOptional().describe('After the last of them whose tests are known.'),
  costUsd: z.number().nullable().describe('Null if no run reported a cost.'),
  isCostWhole: z.boolean().describe('Whether every run reported its cost.'),
  guided: z.boolean().describe('Whether one of its prompts had new guidance.'),
});

const activity = z.object({
  number: count,
  at: instant,
  kind: z.enum(['tool', 'text', 'retry']),
  text: z.string(),
  isOpen: z.literal(true).exactOptional(),
});

const pulseOrigin = {
  version: z.literal(1),
  loopId: z.string(),
  epoch: count,
  at: instant,
  iteration: count,
  attempt: count,
  since: instant,
};

/** What a loop is doing right now. */
export const pulse = z.discriminatedUnion('step', [
  z.object({
    ...pulseOrigin,
    step: z.literal('agent'),
    pid: count.exactOptional(),
    isAdopted: z.literal(true).exactOptional(),
    model: z.string().exactOptional(),
    usage: usage.exactOptional(),
    recent: z.array(activity).describe('The newest activities, oldest first.'),
  }),
  z.object({
    ...pulseOrigin,
    step: z.literal('check'),
    purpose: z.enum(['baseline', 'gate']),
    index: count,
    count,
    command: z.string(),
    verdict: z.enum(verdicts).exactOptional(),
  }),
]);

/** What pulses told about the step under way. */
const live = z.object({
  pulse: pulse.exactOptional(),
  run: z.string().describe('Names the run of the agent that the activities belong to.'),
  activities: z.array(activity),
  checks: z.array(
    z.object({ index: count, command: z.string(), since: instant, verdict: z.enum(verdicts).exactOptional() }),
  ),
  count,
});

/** The process that runs a loop. */
export const owner = z.object({
  state: z.enum(ownerStates),
  pid: z.number().exactOptional(),
  since: instant.exactOptional(),
});

/** Why a loop is in its current state. */
export const explained = z.object({
  headline: z.string(),
  because: names,
  evidence: names,
  rules: z.array(ruleStanding).describe('Every stop rule, the nearest first.'),
  pace,
  session: agentSession.exactOptional(),
  doubts: z.array(doubt),
  warnings: names,
  proof: z.enum(proofLevels),
  next: z.array(advice).describe('What can be done, the most useful step first.'),
});

/** A piece of guidance. */
const guidance = z.object({
  number: count,
  text: z.string(),
  isStanding: z.boolean(),
  at: instant.exactOptional(),
  firstIteration: count.exactOptional().describe('The first iteration whose prompt had it; missing before.'),
});

/** A command that no process has answered yet. */
const pendingCommand = z.object({
  id: z.string(),
  command: z.string(),
  now: z.boolean().exactOptional(),
  sender: sender.exactOptional(),
  sentAt: instant,
});

/** Where a loop stands: replaced as a whole whenever it changes. */
export const standing = z.object({
  seq: count.describe('The number of the last fact in it.'),
  nowMs,
  status: z.enum([...statuses, 'idle']),
  state: z.enum(shownStates),
  wakeAt: instant.exactOptional().describe('When a loop without a process is due.'),
  owner,
  view: loopView,
  explained,
  allowed: z.array(z.enum(commandNames)).describe('The commands that the loop accepts now.'),
  claims: z.boolean().describe('The agent of the current attempt says that it is done.'),
  limits: z.object({
    maxTimeMs: z.number().exactOptional(),
    maxCostUsd: z.number().exactOptional(),
    maxTokens: z.number().exactOptional(),
    idleTimeoutMs: z.number().describe('0 for none.'),
    iterationTimeoutMs: z.number(),
    redlinePercent: z.number(),
  }),
  checks: names.describe('The commands that prove the task done.'),
  promise: z.string().nullable().describe('What the agent has to say; null for a loop without a promise.'),
  guidance: z.array(guidance),
  problems: names,
  pending: z.array(pendingCommand),
  landedIn: z.string().exactOptional(),
  continuedBy: loopKey.exactOptional(),
  resumedFrom: loopKey.exactOptional(),
});

/** `GET /api/loops/{key}`: everything for the first look at a loop. */
export const loopPage = z.object({
  key: loopKey,
  id: z.string(),
  name: z.string(),
  project,
  seq: count.describe('Everything up to this fact is in here.'),
  cursor: cursor.describe('Names that fact: ask for the events after it.'),
  standing,
  history,
  night: z.object({
    through: count.describe('The last iteration in the blocks; later ones are in the history.'),
    blocks: z.array(nightBlock).describe('Oldest first; at most 200.'),
  }),
  live,
});

/** `GET /api/loops/{key}/iterations` */
export const iterationList = z.object({
  rows: z.array(iterationRow).describe('Newest first; without the open one.'),
  before: count.exactOptional().describe('Ask for the rows before this iteration; missing if there are none.'),
});
