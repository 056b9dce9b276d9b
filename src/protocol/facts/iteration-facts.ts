import * as z from 'zod';
import { agentOutcomes, failureClasses, verdicts } from '../words.ts';
import { defineFact } from './define.ts';
import {
  attempt,
  changes,
  check,
  durationMs,
  elapsedMs,
  ending,
  instant,
  processIdentity,
  progress,
  testCounts,
  usage,
} from './shapes.ts';

/** Facts about one iteration: each effect has an intended and a settled fact, so a crash between them shows. */
export const iterationFacts = {
  'baseline.finished': defineFact({
    summary: 'The gate was tried once before the first iteration, to know what was already red.',
    data: z.object({ verdict: z.enum(verdicts), checks: z.array(check), tests: testCounts.optional(), elapsedMs }),
  }),
  'iteration.started': defineFact({
    summary: 'An attempt at an iteration begins; its prompt is on disk.',
    event: 'IterationStarted',
    data: z.object({
      ...attempt,
      session: z.enum(['fresh', 'continue']),
      sessionId: z.string().optional(),
      handOff: z.boolean(),
      guidance: z.array(z.string()).describe('Ids of the guidance that this prompt delivers.'),
      elapsedMs,
    }),
  }),
  'agent.started': defineFact({
    summary: 'The agent process runs.',
    data: z.object({ ...attempt, process: processIdentity }),
  }),
  'agent.finished': defineFact({
    summary: 'The agent process and everything it started are gone.',
    data: z.object({
      ...attempt,
      ending,
      outcome: z.enum(agentOutcomes),
      resetAt: instant.optional(),
      error: z.string().optional(),
      claimed: z.boolean().describe('The completion promise stands in the final text of the assistant.'),
      summary: z.string().optional(),
      usage: usage.optional(),
      sessionId: z.string().optional(),
      model: z.string().optional(),
      changes,
      durationMs,
    }),
  }),
  'gate.started': defineFact({
    summary: 'ralphd runs the checks itself.',
    data: z.object(attempt),
  }),
  'gate.finished': defineFact({
    summary: 'What the checks said.',
    data: z.object({
      ...attempt,
      verdict: z.enum(verdicts),
      checks: z.array(check),
      tests: testCounts.optional(),
      durationMs,
    }),
  }),
  'iteration.finished': defineFact({
    summary: 'The iteration is over and counts.',
    event: 'IterationCompleted or IterationFailed',
    data: z.object({
      ...attempt,
      status: z.enum(['completed', 'failed', 'timed_out', 'skipped']),
      progress,
      failure: z.object({ class: z.enum(failureClasses), message: z.string(), signature: z.string() }).optional(),
      matchedPattern: z.string().optional(),
      completes: z
        .enum(['verified', 'trusted'])
        .optional()
        .describe('The task is done: proven by the gate, or by the word of an agent that is trusted.'),
      durationMs,
      elapsedMs,
    }),
  }),
  'iteration.interrupted': defineFact({
    summary: 'The attempt is over but costs nothing: the iteration keeps its number and is tried again.',
    data: z.object({
      ...attempt,
      cause: z.enum(['request', 'limit', 'environment', 'configuration', 'unknown', 'runner_lost']),
      message: z.string(),
      resetAt: instant.optional().describe('When the provider says that its limit is over.'),
      elapsedMs,
    }),
  }),
} as const;
