import * as z from 'zod';
import { commandNames } from '../commands.ts';
import { askReasons, breakpointWords, modes, noteKinds, questionPoints, switchMoments } from '../modes.ts';
import { foreignSystems, proofLevels, rebootCauses, stopReasons, terminalStatuses } from '../words.ts';
import { defineFact } from './define.ts';
import { gatePlan } from './gate-plan.ts';
import { guard } from './guard.ts';
import {
  count,
  durationMs,
  elapsedMs,
  hostSession,
  instant,
  leftWork,
  processIdentity,
  protectedBase,
  sender,
  settingChange,
  worktree,
} from './shapes.ts';

/** Facts about the loop as a whole. */
export const loopFacts = {
  'segment.opened': defineFact({
    summary: 'An owner opened a journal segment; records how much of the previous segment is valid.',
    saves: false,
    operative: ['loopId', 'owner'],
    data: () =>
      z.object({
        loopId: z.string().optional().describe('Id of the loop; absent in journals of the first releases.'),
        segment: z.string(),
        owner: processIdentity,
        previous: z.object({ segment: z.string(), bytes: count, crc: z.string(), seq: count }).nullable(),
      }),
  }),
  'loop.started': defineFact({
    summary: 'The loop was created and is running.',
    event: 'Started',
    saves: true,
    operative: [
      'agent',
      'base',
      'chosen',
      'config',
      'configHash',
      'guards',
      'head',
      'loopId',
      'resumedFrom',
      'traceparent',
      'uuid',
      'workingDirectory',
      'worktree',
      'checks',
      'foundTest',
    ],
    data: () =>
      z.object({
        loopId: z.string(),
        uuid: z.string(),
        task: z.string(),
        agent: z.string(),
        workingDirectory: z.string(),
        startedBy: z.string(),
        config: z.record(z.string(), z.unknown()).describe('The whole configuration, with durations as text.'),
        configHash: z.string(),
        ...gatePlan,
        base: protectedBase
          .optional()
          .describe('The original protected files: the commit that holds them, and the git reference that keeps it.'),
        head: z
          .string()
          .optional()
          .describe('The commit that was checked out; absent outside git and before the first commit.'),
        worktree: worktree.optional().describe('The git worktree and the branch that the loop has for itself.'),
        resumedFrom: z.string().optional(),
        chosen: z
          .array(z.string())
          .optional()
          .describe('Paths of the settings that came from a flag or a variable: files never change them.'),
        traceparent: z
          .string()
          .optional()
          .describe('The trace in which the loop was started, as in the variable `TRACEPARENT`.'),
        warnings: z.array(z.string()).optional().describe('Warnings shown to the user, one sentence each.'),
      }),
  }),
  'loop.continued': defineFact({
    summary: 'The loop continues the work of a loop that had ended, and takes over its notes and guidance.',
    saves: false,
    operative: ['from', 'id'],
    data: () =>
      z.object({
        from: z.string().describe('Id of the earlier loop.'),
        status: z.enum(terminalStatuses).describe('How the earlier loop ended.'),
        reason: z.enum(stopReasons).optional(),
        iterations: count.describe('Number of iterations of the earlier loop and of those before it.'),
        work: leftWork.describe('What the earlier loop left.'),
      }),
  }),
  'loop.imported': defineFact({
    summary: 'The loop was imported from a document of another system, and continues from what that recorded.',
    saves: false,
    operative: ['from', 'digest', 'id'],
    data: () =>
      z.object({
        from: z.enum(foreignSystems),
        id: z.string().optional().describe('Id of the loop in the other system.'),
        path: z.string().describe('The imported file, relative to the project.'),
        digest: z.string().describe('SHA-256 of the imported file.'),
        status: z.string().describe("Status of the loop in the other system's words."),
        iteration: count.describe('Number of the latest iteration that was started.'),
        finished: count.describe('Number of finished iterations.'),
        startedAt: instant.optional(),
        endedAt: instant.optional(),
        totals: z.object({
          successful: count,
          failed: count,
          reboots: count,
          durationMs,
          tokens: count.optional(),
          costUsd: z.number().min(0).optional(),
        }),
        checks: z
          .array(z.object({ iteration: count, at: instant, passed: z.boolean(), output: z.string() }))
          .describe('The newest checks of the completion criteria.'),
        learnings: z.array(z.string()).describe('What earlier iterations learned, newest last.'),
        files: z.array(z.string()).describe('Files that earlier iterations changed.'),
        document: z
          .record(z.string(), z.unknown())
          .optional()
          .describe('The whole document; absent if it is too large.'),
      }),
  }),
  'environment.captured': defineFact({
    summary: 'The dependencies of the sealed checks were copied out of reach of the agent before it first ran.',
    saves: false,
    operative: ['id'],
    data: () =>
      z.object({
        id: z.string().describe('Name of the snapshot in the snapshot folder.'),
        digest: z.string().describe('SHA-256 of its manifest, which lists the digest of every file.'),
        folders: z.array(z.string()).describe('Ignored folders it contains, relative to the work folder.'),
        files: count,
        bytes: count,
        durationMs,
        elapsedMs,
      }),
  }),
  'gate.accepted': defineFact({
    summary: 'The user accepted the current version of the files that the checks depend on.',
    saves: false,
    operative: ['base', 'guards'],
    data: () =>
      z.object({
        guards: z.array(guard),
        changed: z.array(z.string()),
        base: protectedBase
          .optional()
          .describe('The current protected files, if the checks run with the original ones.'),
      }),
  }),
  'config.changed': defineFact({
    summary: 'The configuration changed when the loop was resumed.',
    saves: false,
    operative: ['checks', 'chosen', 'config', 'configHash', 'foundTest', 'guards', 'setting'],
    data: () =>
      z.object({
        config: z.record(z.string(), z.unknown()),
        configHash: z.string(),
        changes: z.array(settingChange).optional().describe('What changed, as text for people.'),
        chosen: z
          .array(z.string())
          .optional()
          .describe('Paths of all settings that have come from a flag or a variable so far.'),
        task: z.string().optional().describe('The task, if it changed.'),
        gate: z
          .object(gatePlan)
          .optional()
          .describe('The checks, if they changed; files that were guarded stay guarded.'),
      }),
  }),
  'loop.paused': defineFact({
    summary: 'The loop was paused and can be resumed.',
    event: 'Paused',
    saves: true,
    operative: [],
    data: () => z.object({ reason: z.enum(stopReasons), message: z.string(), elapsedMs }),
  }),
  'loop.resumed': defineFact({
    summary: 'A paused loop was resumed.',
    event: 'Resumed',
    saves: true,
    operative: [],
    data: () => z.object({}),
  }),
  'loop.recovered': defineFact({
    summary: 'A new owner took over a running loop whose owner had died.',
    saves: true,
    operative: [],
    data: () => z.object({ problems: z.array(z.string()) }),
  }),
  'state.restored': defineFact({
    summary: 'Files of the running loop had been deleted, edited or replaced, and were restored.',
    saves: false,
    operative: [],
    data: () => z.object({ what: z.array(z.string()) }),
  }),
  'loop.completing': defineFact({
    summary: 'The task is complete; only bookkeeping is left.',
    saves: true,
    operative: [],
    data: () => z.object({ verified: z.boolean(), proof: z.enum(proofLevels).optional() }),
  }),
  'loop.ended': defineFact({
    summary: 'The loop reached a final status.',
    event: 'Completed, Error or Stopped',
    saves: true,
    operative: [],
    data: () =>
      z.object({
        status: z.enum(terminalStatuses),
        reason: z.enum(stopReasons),
        message: z.string(),
        verified: z.boolean(),
        proof: z.enum(proofLevels).optional().describe('Level of proof, if the loop completed.'),
        elapsedMs,
      }),
  }),
  'stop_rule.triggered': defineFact({
    summary: 'A stop rule prevents another iteration.',
    event: 'StopConditionTriggered',
    saves: false,
    operative: [],
    data: () =>
      z.object({
        rule: z.enum(stopReasons),
        condition: z.string().optional().describe('Path of the condition that is met: `stop.0`.'),
        message: z.string(),
        evidence: z.array(z.string()),
        elapsedMs,
      }),
  }),
  'wait.scheduled': defineFact({
    summary: 'The loop waits until the given time.',
    saves: true,
    operative: [],
    data: () =>
      z.object({
        until: instant,
        cause: z.enum(['delay', 'limit', 'environment', 'unknown', 'reboot', 'schedule', 'rate']),
        message: z.string(),
        elapsedMs: elapsedMs.optional().describe('Only for a schedule: the time until it ends is no running time.'),
      }),
  }),
  'loop.parked': defineFact({
    summary:
      'The owner shut down cleanly while the loop waits: for an instant, or for an interactive session that works on it.',
    saves: true,
    operative: [],
    data: () =>
      z.object({
        wakeAt: instant.describe('When to resume the loop; with a session, when it got its prompt.'),
        elapsedMs,
        session: hostSession.optional().describe('The interactive session that works on the loop.'),
      }),
  }),
  'session.stopped': defineFact({
    summary: 'The interactive session that works on the loop stopped; what it did is judged now.',
    saves: false,
    operative: [],
    data: () =>
      z.object({
        session: hostSession,
        elapsedMs: elapsedMs.describe('How long the session worked since it got its prompt.'),
      }),
  }),
  'reboot.started': defineFact({
    summary: 'The agent is about to get a new session.',
    event: 'RebootStarted',
    saves: false,
    operative: ['sessionId'],
    data: () =>
      z.object({
        cause: z.enum(rebootCauses),
        sessionId: z.string().optional().describe('The session that ends, if the agent reported its id.'),
      }),
  }),
  'reboot.finished': defineFact({
    summary: 'The reboot succeeded, or why it failed.',
    event: 'RebootCompleted',
    saves: false,
    operative: [],
    data: () => z.object({ cause: z.enum(rebootCauses), ok: z.boolean(), message: z.string().optional() }),
  }),
  'question.asked': defineFact({
    summary: 'The loop asks a person whether to start an iteration, or whether to accept that the task is done.',
    saves: true,
    operative: [],
    data: () =>
      z.object({
        point: z.enum(questionPoints),
        iteration: count.describe('The iteration to start, or the one that completes the task.'),
        why: z.array(z.enum(askReasons)),
        approveAt: instant.optional().describe('When the loop continues by itself.'),
        elapsedMs,
      }),
  }),
  'question.answered': defineFact({
    summary: 'A person decided, or nobody did in time.',
    saves: true,
    operative: [],
    data: () =>
      z.object({
        point: z.enum(questionPoints),
        iteration: count,
        decision: z.enum(['continue', 'skip']),
        by: z.enum(['person', 'timeout']),
        prompt: z.string().optional().describe('The text that replaces the task in this iteration.'),
        sender: sender.optional(),
      }),
  }),
  'mode.changed': defineFact({
    summary: 'The loop runs in another mode.',
    saves: true,
    operative: [],
    data: () =>
      z.object({
        from: z.enum(modes),
        to: z.enum(modes),
        cause: z.enum(['command', 'trigger', 'schedule']),
        why: z.array(z.enum(askReasons)).optional().describe('What triggered it.'),
        sender: sender.optional(),
      }),
  }),
  'rollback.finished': defineFact({
    summary: 'What the last iteration changed was undone on request, or why it was not.',
    saves: true,
    operative: ['backup'],
    data: () =>
      z.object({
        iteration: count,
        ok: z.boolean(),
        files: z.array(z.string()).optional().describe('The files that were restored, at most 200.'),
        count: count.optional().describe('How many files were restored.'),
        backup: z.string().optional().describe('The git reference that keeps all files as they were before.'),
        message: z.string().optional().describe('Why nothing was undone.'),
        elapsedMs,
      }),
  }),
  'command.accepted': defineFact({
    summary: 'The loop accepted a command.',
    saves: true,
    operative: ['id'],
    data: () =>
      z.object({
        id: z.string(),
        command: z.enum(commandNames),
        now: z.boolean().optional(),
        text: z.string().optional(),
        standing: z
          .boolean()
          .optional()
          .describe('The guidance goes into every prompt until it is dropped; otherwise into one.'),
        number: count.optional().describe('The guidance to drop; absent for all of it.'),
        signal: z.string().optional(),
        mode: z.enum(modes).optional().describe('The mode to switch to.'),
        when: z.enum(switchMoments).optional().describe('When to switch the mode.'),
        kind: z.enum(noteKinds).optional().describe('What the note is about.'),
        breakpoint: z
          .union([count, z.enum(breakpointWords)])
          .optional()
          .describe('The breakpoint to set or remove.'),
        remove: z.boolean().optional().describe('The breakpoint is removed instead of set.'),
        sender: sender.optional().describe('Absent in journals of the first releases.'),
      }),
  }),
  'command.refused': defineFact({
    summary: 'The loop refused a command that it cannot accept in its current state; nothing changed.',
    saves: true,
    operative: ['id'],
    data: () =>
      z.object({
        id: z.string(),
        command: z.string(),
        why: z.string(),
        sender: sender.optional().describe('Absent in journals of the first releases.'),
      }),
  }),
} as const;
