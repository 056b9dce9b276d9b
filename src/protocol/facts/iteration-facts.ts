import * as z from 'zod';
import { activeSandboxModes } from '../config/sandbox.ts';
import { agentOutcomes, failureClasses, proofLevels, verdicts } from '../words.ts';
import { defineFact } from './define.ts';
import { guard } from './guard.ts';
import {
  apiCalls,
  attempt,
  changes,
  check,
  conditionResult,
  count,
  durationMs,
  elapsedMs,
  ending,
  exploration,
  instant,
  judgedTree,
  measure,
  obstacle,
  processIdentity,
  progress,
  quality,
  runNotes,
  testCounts,
  testHints,
  usage,
} from './shapes.ts';

/** Facts about one iteration: each effect has an intended and a settled fact, so a crash between them is visible. */
export const iterationFacts = {
  'baseline.finished': defineFact({
    summary: 'The checks ran once before the first iteration, to record what already failed.',
    saves: false,
    operative: ['id', 'renewed'],
    data: () =>
      z.object({
        verdict: z.enum(verdicts),
        checks: z.array(check),
        tests: testCounts.optional(),
        measures: z.array(measure).optional().describe('Measures read from the output and files of the checks.'),
        writes: z.array(z.string()).optional().describe('Files in the work tree that the checks write themselves.'),
        unguarded: z.array(z.string()).optional().describe('Guarded files that the checks change themselves.'),
        renewed: z
          .array(guard)
          .optional()
          .describe('Guards whose state the checks changed themselves, in their new state.'),
        proof: z
          .enum(proofLevels)
          .optional()
          .describe('Where the checks ran; absent in journals of the first releases.'),
        tree: judgedTree.optional(),
        obstacle: obstacle.optional(),
        warnings: z.array(z.string()).optional().describe('Warnings about this run, one sentence each.'),
        elapsedMs,
      }),
  }),
  'iteration.started': defineFact({
    summary: 'An attempt at an iteration starts.',
    event: 'IterationStarted',
    saves: false,
    operative: ['guidance', 'id', 'sessionId'],
    data: () =>
      z.object({
        ...attempt,
        session: z.enum(['fresh', 'continue']),
        sessionId: z.string().optional(),
        handOff: z.boolean(),
        guidance: z.array(z.string()).describe('Ids of the guidance included in this prompt.'),
        correction: z
          .literal('exploration')
          .optional()
          .describe('The prompt tells the agent that the previous run only explored and changed nothing.'),
        start: judgedTree
          .optional()
          .describe('The files in the work tree before the agent first ran; only in the first attempt.'),
        elapsedMs,
      }),
  }),
  'agent.started': defineFact({
    summary: 'The agent process was started.',
    saves: true,
    operative: ['process'],
    data: () =>
      z.object({
        ...attempt,
        process: processIdentity,
        sandbox: z
          .enum(activeSandboxModes)
          .optional()
          .describe('The sandbox that the agent runs in; absent without one.'),
      }),
  }),
  'agent.finished': defineFact({
    summary: 'The agent process and all its descendants have ended.',
    saves: false,
    operative: ['id', 'sessionId', 'trees'],
    data: () =>
      z.object({
        ...attempt,
        ending,
        outcome: z.enum(agentOutcomes),
        resetAt: instant.optional(),
        error: z.string().optional(),
        claimed: z.boolean().describe("The completion promise appears in the assistant's final text."),
        outputMatches: z
          .array(z.string())
          .optional()
          .describe("Paths of the conditions met by the assistant's text, such as `stop.0`."),
        marks: z.array(z.string()).optional().describe('Patterns in its output that make a hybrid loop ask a person.'),
        deniedHosts: z
          .array(z.string())
          .optional()
          .describe('Hosts and ports that the sandbox did not let it reach, each once and at most twenty.'),
        empty: z.boolean().optional().describe('The agent printed no text, used no tool and reported no tokens.'),
        summary: z.string().optional(),
        notes: runNotes.optional().describe('Notes of the agent for later iterations, quoted.'),
        markers: count
          .optional()
          .describe('Number of lines in which the agent reports progress; never treated as proof.'),
        permissionDenials: count.optional().describe('Number of tool calls that were denied.'),
        deniedTools: z
          .array(z.string())
          .optional()
          .describe('The denied tools, each once and at most ten, such as `Write` or `Bash(npm test)`.'),
        usage: usage.optional(),
        calls: z
          .array(apiCalls)
          .optional()
          .describe('API calls of the last hour of the run, in steps of five minutes, each with its end.'),
        sessionUsage: usage.optional().describe('Total usage of the session, for agents that report totals.'),
        exploration: exploration.optional(),
        testHints: testHints
          .optional()
          .describe(
            "Test counts of the agent's own newest test run, read from its output: hints for people, never proof.",
          ),
        rebootPattern: z.string().optional().describe("The pattern of `session.reboot` that the agent's text matches."),
        estimatedTokens: count
          .optional()
          .describe('Estimated tokens that the run added to its session, if the agent does not report its context.'),
        sessionId: z.string().optional(),
        model: z.string().optional(),
        changes,
        durationMs,
      }),
  }),
  'conditions.observed': defineFact({
    summary: 'ralphd checked the files and ran the scripts of the conditions.',
    saves: false,
    operative: [],
    data: () => z.object({ ...attempt, results: z.array(conditionResult) }),
  }),
  'gate.started': defineFact({
    summary: 'ralphd starts the checks.',
    saves: true,
    operative: [],
    data: () =>
      z.object({
        ...attempt,
        conditions: z
          .array(z.string())
          .optional()
          .describe('Paths of the success conditions that triggered the checks, if there was no claim.'),
        isPeriodic: z.literal(true).optional().describe('Only "testEvery" triggered the checks: nothing was claimed.'),
      }),
  }),
  'gate.finished': defineFact({
    summary: 'The checks have finished.',
    saves: false,
    operative: ['id'],
    data: () =>
      z.object({
        ...attempt,
        verdict: z.enum(verdicts),
        isPeriodic: z
          .literal(true)
          .optional()
          .describe('Nothing was claimed, so that even a pass does not complete the loop.'),
        checks: z.array(check),
        tests: testCounts.optional(),
        measures: z.array(measure).optional().describe('Measures read from the output and files of the checks.'),
        tampered: z.array(z.string()).optional().describe('Guarded files that were changed.'),
        doubts: z.array(z.string()).optional().describe('Changed files that affect the checks; reported only.'),
        editedTests: z
          .array(z.string())
          .optional()
          .describe('Protected files that existed when the loop started and were changed; absent if unknown.'),
        writes: z.array(z.string()).optional().describe('Files in the work tree that changed while the checks ran.'),
        changedFiles: count
          .optional()
          .describe('Number of files that changed since the loop started; absent if unknown.'),
        proof: z
          .enum(proofLevels)
          .optional()
          .describe('Where the checks ran; absent in journals of the first releases.'),
        tree: judgedTree.optional(),
        obstacle: obstacle.optional(),
        warnings: z.array(z.string()).optional().describe('Warnings about this run, one sentence each.'),
        durationMs,
      }),
  }),
  'iteration.finished': defineFact({
    summary: 'The iteration has ended and counts.',
    event: 'IterationCompleted or IterationFailed',
    saves: false,
    operative: ['id'],
    data: () =>
      z.object({
        ...attempt,
        status: z.enum(['completed', 'failed', 'timed_out', 'skipped']),
        progress,
        failure: z.object({ class: z.enum(failureClasses), message: z.string(), signature: z.string() }).optional(),
        matchedPattern: z.string().optional(),
        errorMatches: z
          .array(z.string())
          .optional()
          .describe('Paths of the conditions met by the error, such as `stop.0`.'),
        completes: z
          .enum(['verified', 'trusted'])
          .optional()
          .describe('The task is done: verified by the checks, or accepted without verification.'),
        quality: quality
          .optional()
          .describe(
            'Quality of the work at that point; absent for skipped iterations and in journals of the first releases.',
          ),
        durationMs,
        elapsedMs,
      }),
  }),
  'iteration.interrupted': defineFact({
    summary: 'The attempt ended without counting: the iteration keeps its number and is retried.',
    saves: false,
    operative: [],
    data: () =>
      z.object({
        ...attempt,
        cause: z.enum(['request', 'limit', 'environment', 'configuration', 'unknown', 'runner_lost', 'hook']),
        message: z.string(),
        resetAt: instant.optional().describe('When the limit resets, according to the provider.'),
        elapsedMs,
      }),
  }),
} as const;
