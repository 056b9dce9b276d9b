import * as z from 'zod';
import { proofLevels, rebootCauses, stopReasons } from '../words.ts';
import { defineFact } from './define.ts';
import { checkCommand, count, durationMs, elapsedMs, guard, instant, processIdentity } from './shapes.ts';

/** The commit that has files as they were, and the git reference that keeps it. */
const base = z.object({ ref: z.string(), commit: z.string() });

/** Facts about the loop as a whole. */
export const loopFacts = {
  'segment.opened': defineFact({
    summary: 'An owner opened a journal segment; it fixes how much of the one before it counts.',
    data: z.object({
      loopId: z.string().optional().describe('Whose segment it is; journals of the first releases do not say.'),
      segment: z.string(),
      owner: processIdentity,
      previous: z.object({ segment: z.string(), bytes: count, crc: z.string(), seq: count }).nullable(),
    }),
  }),
  'loop.started': defineFact({
    summary: 'The loop was created and is running.',
    event: 'Started',
    data: z.object({
      loopId: z.string(),
      uuid: z.string(),
      task: z.string(),
      agent: z.string(),
      workingDirectory: z.string(),
      startedBy: z.string(),
      config: z.record(z.string(), z.unknown()).describe('The whole configuration, with human durations.'),
      configHash: z.string(),
      checks: z.array(checkCommand).describe('The commands of the gate, fixed for the whole loop.'),
      foundTest: z.string().optional().describe("The one of them that is the project's own test command, found."),
      readings: z
        .array(z.object({ said: z.string(), commands: z.array(z.string()) }))
        .optional()
        .describe('Criteria that were sentences, and the commands they were taken for.'),
      guards: z.array(guard).optional().describe('Files and scripts that decide what the checks say, as they were.'),
      masked: z
        .array(z.string())
        .optional()
        .describe('Scripts and targets behind the checks that hide the exit code of their test.'),
      base: base
        .optional()
        .describe('Protected files as they were: the commit that has them, and the git reference that keeps it.'),
      resumedFrom: z.string().optional(),
      warnings: z.array(z.string()).optional().describe('What the user was warned of, a sentence each.'),
    }),
  }),
  'environment.captured': defineFact({
    summary: 'Everything that sealed checks need besides the work was copied out of reach, before any agent ran.',
    data: z.object({
      id: z.string().describe('Name of the snapshot below the folder where they are kept.'),
      digest: z.string().describe('SHA-256 of its manifest, which has the digest of every file.'),
      folders: z.array(z.string()).describe('Ignored folders that it holds, seen from the work folder.'),
      files: count,
      bytes: count,
      durationMs,
      elapsedMs,
    }),
  }),
  'gate.accepted': defineFact({
    summary: 'The user took the files that the checks name as they are now.',
    data: z.object({
      guards: z.array(guard),
      changed: z.array(z.string()),
      base: base.optional().describe('Protected files as they are now, where the checks run with those.'),
    }),
  }),
  'config.changed': defineFact({
    summary: 'The configuration changed when the loop was resumed.',
    data: z.object({ config: z.record(z.string(), z.unknown()), configHash: z.string() }),
  }),
  'loop.paused': defineFact({
    summary: 'The loop rests and can be resumed in place.',
    event: 'Paused',
    data: z.object({ reason: z.enum(stopReasons), message: z.string(), elapsedMs }),
  }),
  'loop.resumed': defineFact({
    summary: 'A paused loop runs again.',
    event: 'Resumed',
    data: z.object({}),
  }),
  'loop.recovered': defineFact({
    summary: 'A new owner took over a loop whose owner had died while it was running.',
    data: z.object({ problems: z.array(z.string()) }),
  }),
  'state.restored': defineFact({
    summary: 'Files of the loop had been deleted, edited or replaced under it and were put back.',
    data: z.object({ what: z.array(z.string()) }),
  }),
  'loop.completing': defineFact({
    summary: 'Claim and gate hold; only bookkeeping is left.',
    data: z.object({ verified: z.boolean(), proof: z.enum(proofLevels).optional() }),
  }),
  'loop.ended': defineFact({
    summary: 'The loop reached a status that never changes again.',
    event: 'Completed, Error or Stopped',
    data: z.object({
      status: z.enum(['completed', 'failed', 'aborted', 'crashed']),
      reason: z.enum(stopReasons),
      message: z.string(),
      verified: z.boolean(),
      proof: z.enum(proofLevels).optional().describe('How far the proof reaches, where the loop completed.'),
      elapsedMs,
    }),
  }),
  'stop_rule.triggered': defineFact({
    summary: 'A stop rule forbids another iteration.',
    event: 'StopConditionTriggered',
    data: z.object({
      rule: z.enum(stopReasons),
      condition: z.string().optional().describe('Where the condition that is met stands in the settings: `stop.0`.'),
      message: z.string(),
      evidence: z.array(z.string()),
      elapsedMs,
    }),
  }),
  'wait.scheduled': defineFact({
    summary: 'Nothing starts before the given instant.',
    data: z.object({
      until: instant,
      cause: z.enum(['delay', 'limit', 'environment', 'unknown', 'reboot']),
      message: z.string(),
    }),
  }),
  'reboot.started': defineFact({
    summary: 'The agent is about to get a fresh session.',
    event: 'RebootStarted',
    data: z.object({
      cause: z.enum(rebootCauses),
      sessionId: z.string().optional().describe('The session that ends, as far as the agent named it.'),
    }),
  }),
  'reboot.finished': defineFact({
    summary: 'The reboot worked, or why it did not.',
    event: 'RebootCompleted',
    data: z.object({ cause: z.enum(rebootCauses), ok: z.boolean(), message: z.string().optional() }),
  }),
  'command.accepted': defineFact({
    summary: 'Somebody told the loop to do something, and it will.',
    data: z.object({
      id: z.string(),
      command: z.enum(['pause', 'resume', 'stop', 'abort', 'skip', 'reboot', 'guide', 'retry', 'interrupt', 'suspend']),
      now: z.boolean().optional(),
      text: z.string().optional(),
      signal: z.string().optional(),
    }),
  }),
  'command.refused': defineFact({
    summary: 'A command did not fit the state the loop was in; nothing changed.',
    data: z.object({ id: z.string(), command: z.string(), why: z.string() }),
  }),
} as const;
