import * as z from 'zod';
import { agentOutcomes, failureClasses, hookPoints, hookSteps, proofLevels, verdicts } from '../words.ts';
import { defineFact } from './define.ts';
import {
  attempt,
  changes,
  check,
  conditionResult,
  count,
  durationMs,
  elapsedMs,
  ending,
  guard,
  instant,
  judgedTree,
  measure,
  obstacle,
  processIdentity,
  progress,
  quality,
  runNotes,
  testCounts,
  usage,
} from './shapes.ts';

/** One hook that ran and what came of it. */
const hookResult = z.object({
  name: z.string(),
  point: z.enum(hookPoints),
  ok: z.boolean(),
  fatal: z.boolean().optional().describe('It failed, and the loop pauses for it.'),
  durationMs,
  output: z.string().describe('Beginning and end of what it printed, bounded.'),
  error: z.string().optional(),
});

/** Facts about one iteration: each effect has an intended and a settled fact, so a crash between them shows. */
export const iterationFacts = {
  'baseline.finished': defineFact({
    summary: 'The gate was tried once before the first iteration, to know what was already red.',
    data: z.object({
      verdict: z.enum(verdicts),
      checks: z.array(check),
      tests: testCounts.optional(),
      measures: z.array(measure).optional().describe('Numbers in what the checks printed and wrote.'),
      writes: z.array(z.string()).optional().describe('Files of the work tree that the checks write themselves.'),
      unguarded: z.array(z.string()).optional().describe('Guarded files that the checks change themselves.'),
      renewed: z.array(guard).optional().describe('What the checks made themselves of what has a say in them.'),
      proof: z
        .enum(proofLevels)
        .optional()
        .describe('Where the checks ran; missing in journals of the first releases.'),
      tree: judgedTree.optional(),
      obstacle: obstacle.optional(),
      warnings: z
        .array(z.string())
        .optional()
        .describe('What else a person should know about this run, a sentence each.'),
      elapsedMs,
    }),
  }),
  'iteration.started': defineFact({
    summary: 'An attempt at an iteration begins.',
    event: 'IterationStarted',
    data: z.object({
      ...attempt,
      session: z.enum(['fresh', 'continue']),
      sessionId: z.string().optional(),
      handOff: z.boolean(),
      guidance: z.array(z.string()).describe('Ids of the guidance that this prompt delivers.'),
      start: judgedTree
        .optional()
        .describe('The files of the work tree before the first agent ran; only in the first attempt.'),
      elapsedMs,
    }),
  }),
  'hooks.started': defineFact({
    summary: 'The hooks of one step of an attempt begin to run.',
    data: z.object({ ...attempt, point: z.enum(hookSteps) }),
  }),
  'hooks.finished': defineFact({
    summary: 'The hooks of one step have run, and what they said.',
    data: z.object({
      ...attempt,
      point: z.enum(hookSteps),
      results: z.array(hookResult),
      data: z.record(z.string(), z.string()).optional().describe('Values for later hooks of this attempt.'),
      prompt: z.string().optional().describe("What they add to this attempt's prompt."),
      stop: z.object({ hook: z.string(), reason: z.string() }).optional().describe('A hook asks the loop to stop.'),
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
      outputMatches: z
        .array(z.string())
        .optional()
        .describe("Places of the conditions that the assistant's words meet, such as `stop.0`."),
      empty: z.boolean().optional().describe('It said nothing, used no tool and reported no tokens.'),
      summary: z.string().optional(),
      notes: runNotes.optional().describe('What it noted for those after it, in its own words.'),
      markers: count.optional().describe('Lines by which the agent itself reports progress; never proof of any.'),
      permissionDenials: count.optional().describe('How often the agent was not allowed to use a tool.'),
      usage: usage.optional(),
      sessionUsage: usage.optional().describe('What the session has used by now, from an agent that reports totals.'),
      sessionId: z.string().optional(),
      model: z.string().optional(),
      changes,
      durationMs,
    }),
  }),
  'conditions.observed': defineFact({
    summary: 'ralphd looked at the files and ran the scripts that conditions ask for.',
    data: z.object({ ...attempt, results: z.array(conditionResult) }),
  }),
  'gate.started': defineFact({
    summary: 'ralphd runs the checks itself.',
    data: z.object({
      ...attempt,
      conditions: z
        .array(z.string())
        .optional()
        .describe('Places of the conditions for success that ask for it, where nobody claimed anything.'),
    }),
  }),
  'gate.finished': defineFact({
    summary: 'What the checks said.',
    data: z.object({
      ...attempt,
      verdict: z.enum(verdicts),
      checks: z.array(check),
      tests: testCounts.optional(),
      measures: z.array(measure).optional().describe('Numbers in what the checks printed and wrote.'),
      tampered: z.array(z.string()).optional().describe('Guarded files that are not what they were.'),
      doubts: z
        .array(z.string())
        .optional()
        .describe('Files that have a say in what the checks run and are not what they were; they refuse nothing.'),
      editedTests: z
        .array(z.string())
        .optional()
        .describe(
          'Protected files that were there when the loop began and are not what they were; missing when unknown.',
        ),
      writes: z.array(z.string()).optional().describe('Files of the work tree that changed while the checks ran.'),
      changedFiles: count
        .optional()
        .describe('How many files differ from when the loop began; missing when that could not be told.'),
      proof: z
        .enum(proofLevels)
        .optional()
        .describe('Where the checks ran; missing in journals of the first releases.'),
      tree: judgedTree.optional(),
      obstacle: obstacle.optional(),
      warnings: z
        .array(z.string())
        .optional()
        .describe('What else a person should know about this run, a sentence each.'),
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
      errorMatches: z
        .array(z.string())
        .optional()
        .describe('Places of the conditions that the error meets, such as `stop.0`.'),
      completes: z
        .enum(['verified', 'trusted'])
        .optional()
        .describe('The task is done: proven by the gate, or by the word of an agent that is trusted.'),
      quality: quality
        .optional()
        .describe(
          'How good the work was then; missing for one that was given up, and in journals of the first releases.',
        ),
      durationMs,
      elapsedMs,
    }),
  }),
  'iteration.interrupted': defineFact({
    summary: 'The attempt is over but costs nothing: the iteration keeps its number and is tried again.',
    data: z.object({
      ...attempt,
      cause: z.enum(['request', 'limit', 'environment', 'configuration', 'unknown', 'runner_lost', 'hook']),
      message: z.string(),
      resetAt: instant.optional().describe('When the provider says that its limit is over.'),
      elapsedMs,
    }),
  }),
} as const;
