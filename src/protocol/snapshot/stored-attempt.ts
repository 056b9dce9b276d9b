import * as z from 'zod';
import {
  changes,
  check,
  count,
  ending,
  instant,
  judgedTree,
  measure,
  obstacle,
  processIdentity,
  sender,
  testCounts,
  testHints,
} from '../facts/shapes.ts';
import { agentOutcomes, hookSteps, proofLevels, verdicts } from '../words.ts';

/** A user's instruction to the running loop. Snapshots of the first releases have only its id and text. */
export const guidance = z.object({
  id: z.string(),
  text: z.string(),
  number: count.exactOptional(),
  standing: z.literal(true).exactOptional().describe('It goes into every prompt until it is dropped.'),
  at: instant.exactOptional(),
  sender: sender.exactOptional(),
  delivered: z
    .object({ first: count, last: count })
    .exactOptional()
    .describe('The iterations whose prompts included it, first and last.'),
});

/** The result of the gate. */
export const gateResult = z.object({
  verdict: z.enum(verdicts),
  isPeriodic: z.literal(true).exactOptional(),
  checks: z.array(check),
  tests: testCounts.exactOptional(),
  measures: z.array(measure).exactOptional(),
  tampered: z.array(z.string()).exactOptional(),
  doubts: z.array(z.string()).exactOptional(),
  changedFiles: count.exactOptional(),
  editedTests: z.array(z.string()).exactOptional(),
  writes: z.array(z.string()).exactOptional(),
  proof: z.enum(proofLevels).exactOptional(),
  tree: judgedTree.exactOptional(),
  obstacle: obstacle.exactOptional(),
  warnings: z.array(z.string()).exactOptional(),
  durationMs: z.number(),
});

/** The result of the agent's run. */
const execution = z.object({
  ending,
  outcome: z.enum(agentOutcomes),
  resetAt: instant.exactOptional(),
  error: z.string().exactOptional(),
  claimed: z.boolean(),
  empty: z.boolean().exactOptional(),
  summary: z.string().exactOptional(),
  markers: count.exactOptional(),
  testHints: testHints.exactOptional(),
  changes,
  durationMs: z.number(),
});

/** The current attempt; its stage decides which effect is next. */
export const currentAttempt = z.object({
  iteration: count,
  attempt: count,
  epoch: count,
  startedAt: instant,
  stage: z.enum(['begun', 'executing', 'executed', 'verifying', 'verified']),
  hooks: z
    .object({
      finished: z.array(z.enum(hookSteps)),
      data: z.record(z.string(), z.string()),
      prompt: z.string().exactOptional(),
      failure: z.string().exactOptional(),
    })
    .exactOptional(),
  process: processIdentity.exactOptional(),
  execution: execution.exactOptional(),
  isObserved: z.literal(true).exactOptional(),
  isPeriodic: z.literal(true).exactOptional(),
  gate: gateResult.exactOptional(),
  testsBefore: testCounts.exactOptional(),
  delivered: z.object({
    guidance: z.array(guidance),
    standing: z.array(z.string()).exactOptional().describe('Ids of the standing guidance in its prompt.'),
    handOff: z.boolean(),
    correction: z.literal('exploration').exactOptional(),
  }),
});
