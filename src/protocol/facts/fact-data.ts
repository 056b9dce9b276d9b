// Generated from the schemas by "npm run docs"; edit those instead.

import type {
  AgentOutcome,
  FailureClass,
  HookPoint,
  HookStep,
  LoopHookStep,
  ProofLevel,
  RebootCause,
  StopReason,
  Verdict,
} from '../words.ts';
import type {
  ApiCalls,
  Changes,
  Check,
  ConditionResult,
  Ending,
  Guard,
  JudgedTree,
  Measure,
  NotedIssue,
  Obstacle,
  ProcessIdentity,
  Progress,
  ProtectedBase,
  Quality,
  RunNotes,
  Sender,
  SettingChange,
  TestCounts,
  TestHints,
  Usage,
  Worktree,
} from './fact-shapes.ts';
/** The data of each kind of fact, by its name. */
export interface FactDataByType {
  /** An owner opened a journal segment; records how much of the previous segment is valid. */
  'segment.opened': {
    /** Id of the loop; absent in journals of the first releases. */
    loopId?: string | undefined;
    segment: string;
    owner: ProcessIdentity;
    previous: {
      segment: string;
      bytes: number;
      crc: string;
      seq: number;
    } | null;
  };
  /** The loop was created and is running. */
  'loop.started': {
    loopId: string;
    uuid: string;
    task: string;
    agent: string;
    workingDirectory: string;
    startedBy: string;
    /** The whole configuration, with durations as text. */
    config: Record<string, unknown>;
    configHash: string;
    /** The commands of the gate, in their order. */
    checks: Array<string | string[]>;
    /** The one of them that was detected as the project's test command. */
    foundTest?: string | undefined;
    /** Criteria written as sentences, and the commands they were interpreted as. */
    readings?:
      | Array<{
          said: string;
          commands: string[];
        }>
      | undefined;
    /** Files and scripts that determine the results of the checks, in their original state. */
    guards?: Guard[] | undefined;
    /** Scripts and targets run by the checks that hide the exit code of their test. */
    masked?: string[] | undefined;
    /** The original protected files: the commit that holds them, and the git reference that keeps it. */
    base?: ProtectedBase | undefined;
    /** The commit that was checked out; absent outside git and before the first commit. */
    head?: string | undefined;
    /** The git worktree and the branch that the loop has for itself. */
    worktree?: Worktree | undefined;
    resumedFrom?: string | undefined;
    /** Paths of the settings that came from a flag or a variable: files never change them. */
    chosen?: string[] | undefined;
    /** The trace in which the loop was started, as in the variable `TRACEPARENT`. */
    traceparent?: string | undefined;
    /** Warnings shown to the user, one sentence each. */
    warnings?: string[] | undefined;
  };
  /** The loop continues the work of a loop that had ended, and takes over its notes and guidance. */
  'loop.continued': {
    /** Id of the earlier loop. */
    from: string;
    /** How the earlier loop ended. */
    status: 'completed' | 'failed' | 'aborted' | 'crashed';
    reason?: StopReason | undefined;
    /** Number of iterations of the earlier loop and of those before it. */
    iterations: number;
    /** What the earlier loop left. */
    work: {
      /** The agent's own summaries, newest last. */
      summaries: string[];
      /** What its agents noted, quoted. */
      notes: {
        decisions?:
          | Array<{
              text: string;
              why?: string | undefined;
            }>
          | undefined;
        issues?: NotedIssue[] | undefined;
        /** Issues that are resolved: their numbers or their text. */
        resolved?: string[] | undefined;
        done?: string[] | undefined;
        /** Everything left to do; empty if the agent says that nothing is. */
        pending?: string[] | undefined;
        values?:
          | Array<{
              key: string;
              value: string;
            }>
          | undefined;
      };
      /** The files that it changed last. */
      files: string[];
      /** Standing guidance, and guidance that no prompt had delivered yet. */
      guidance: Array<{
        id: string;
        text: string;
        standing?: boolean | undefined;
      }>;
    };
  };
  /** The loop was imported from a document of another system, and continues from what that recorded. */
  'loop.imported': {
    from: 'tachikoma' | 'aiwg' | 'aiwg-internal' | 'aiwg-external' | 'ultraplan' | 'ralph-wiggum';
    /** Id of the loop in the other system. */
    id?: string | undefined;
    /** The imported file, relative to the project. */
    path: string;
    /** SHA-256 of the imported file. */
    digest: string;
    /** Status of the loop in the other system's words. */
    status: string;
    /** Number of the latest iteration that was started. */
    iteration: number;
    /** Number of finished iterations. */
    finished: number;
    startedAt?: string | undefined;
    endedAt?: string | undefined;
    totals: {
      successful: number;
      failed: number;
      reboots: number;
      durationMs: number;
      tokens?: number | undefined;
      costUsd?: number | undefined;
    };
    /** The newest checks of the completion criteria. */
    checks: Array<{
      iteration: number;
      at: string;
      passed: boolean;
      output: string;
    }>;
    /** What earlier iterations learned, newest last. */
    learnings: string[];
    /** Files that earlier iterations changed. */
    files: string[];
    /** The whole document; absent if it is too large. */
    document?: Record<string, unknown> | undefined;
  };
  /** The dependencies of the sealed checks were copied out of reach of the agent before it first ran. */
  'environment.captured': {
    /** Name of the snapshot in the snapshot folder. */
    id: string;
    /** SHA-256 of its manifest, which lists the digest of every file. */
    digest: string;
    /** Ignored folders it contains, relative to the work folder. */
    folders: string[];
    files: number;
    bytes: number;
    durationMs: number;
    /** Running time since the previous fact with this field, from a monotonic clock. */
    elapsedMs: number;
  };
  /** The user accepted the current version of the files that the checks depend on. */
  'gate.accepted': {
    guards: Guard[];
    changed: string[];
    /** The current protected files, if the checks run with the original ones. */
    base?: ProtectedBase | undefined;
  };
  /** The configuration changed when the loop was resumed. */
  'config.changed': {
    config: Record<string, unknown>;
    configHash: string;
    /** What changed, as text for people. */
    changes?: SettingChange[] | undefined;
    /** Paths of all settings that have come from a flag or a variable so far. */
    chosen?: string[] | undefined;
    /** The task, if it changed. */
    task?: string | undefined;
    /** The checks, if they changed; files that were guarded stay guarded. */
    gate?:
      | {
          /** The commands of the gate, in their order. */
          checks: Array<string | string[]>;
          /** The one of them that was detected as the project's test command. */
          foundTest?: string | undefined;
          /** Criteria written as sentences, and the commands they were interpreted as. */
          readings?:
            | Array<{
                said: string;
                commands: string[];
              }>
            | undefined;
          /** Files and scripts that determine the results of the checks, in their original state. */
          guards?: Guard[] | undefined;
          /** Scripts and targets run by the checks that hide the exit code of their test. */
          masked?: string[] | undefined;
        }
      | undefined;
  };
  /** The loop was paused and can be resumed. */
  'loop.paused': {
    reason: StopReason;
    message: string;
    /** Running time since the previous fact with this field, from a monotonic clock. */
    elapsedMs: number;
  };
  /** A paused loop was resumed. */
  'loop.resumed': Record<string, never>;
  /** A new owner took over a running loop whose owner had died. */
  'loop.recovered': {
    problems: string[];
  };
  /** Files of the running loop had been deleted, edited or replaced, and were restored. */
  'state.restored': {
    what: string[];
  };
  /** The task is complete; only bookkeeping is left. */
  'loop.completing': {
    verified: boolean;
    proof?: ProofLevel | undefined;
  };
  /** The loop reached a final status. */
  'loop.ended': {
    status: 'completed' | 'failed' | 'aborted' | 'crashed';
    reason: StopReason;
    message: string;
    verified: boolean;
    /** Level of proof, if the loop completed. */
    proof?: ProofLevel | undefined;
    /** Running time since the previous fact with this field, from a monotonic clock. */
    elapsedMs: number;
  };
  /** A stop rule prevents another iteration. */
  'stop_rule.triggered': {
    rule: StopReason;
    /** Path of the condition that is met: `stop.0`. */
    condition?: string | undefined;
    message: string;
    evidence: string[];
    /** Running time since the previous fact with this field, from a monotonic clock. */
    elapsedMs: number;
  };
  /** The loop waits until the given time. */
  'wait.scheduled': {
    until: string;
    cause: 'delay' | 'limit' | 'environment' | 'unknown' | 'reboot' | 'schedule' | 'rate';
    message: string;
    /** Only for a schedule: the time until it ends is no running time. */
    elapsedMs?: number | undefined;
  };
  /** The owner shut down cleanly while the loop waits: for an instant, or for an interactive session that works on it. */
  'loop.parked': {
    /** When to resume the loop; with a session, when it got its prompt. */
    wakeAt: string;
    /** Running time since the previous fact with this field, from a monotonic clock. */
    elapsedMs: number;
    /** The interactive session that works on the loop. */
    session?:
      | {
          agent: string;
          /** Unknown until the session stops for the first time. */
          id?: string | undefined;
        }
      | undefined;
  };
  /** The interactive session that works on the loop stopped; what it did is judged now. */
  'session.stopped': {
    session: {
      agent: string;
      /** Unknown until the session stops for the first time. */
      id?: string | undefined;
    };
    /** How long the session worked since it got its prompt. */
    elapsedMs: number;
  };
  /** The agent is about to get a new session. */
  'reboot.started': {
    cause: RebootCause;
    /** The session that ends, if the agent reported its id. */
    sessionId?: string | undefined;
  };
  /** The reboot succeeded, or why it failed. */
  'reboot.finished': {
    cause: RebootCause;
    ok: boolean;
    message?: string | undefined;
  };
  /** The loop asks a person whether to start an iteration, or whether to accept that the task is done. */
  'question.asked': {
    point: 'iteration' | 'completion';
    /** The iteration to start, or the one that completes the task. */
    iteration: number;
    why: Array<
      | 'attended'
      | 'breakpoint'
      | 'interval'
      | 'files_changed'
      | 'test_regression'
      | 'failures'
      | 'pattern'
      | 'completion'
    >;
    /** When the loop continues by itself. */
    approveAt?: string | undefined;
    /** Running time since the previous fact with this field, from a monotonic clock. */
    elapsedMs: number;
  };
  /** A person decided, or nobody did in time. */
  'question.answered': {
    point: 'iteration' | 'completion';
    iteration: number;
    decision: 'continue' | 'skip';
    by: 'person' | 'timeout';
    /** The text that replaces the task in this iteration. */
    prompt?: string | undefined;
    sender?: Sender | undefined;
  };
  /** The loop runs in another mode. */
  'mode.changed': {
    from: 'unattended' | 'attended' | 'hybrid';
    to: 'unattended' | 'attended' | 'hybrid';
    cause: 'command' | 'trigger' | 'schedule';
    /** What triggered it. */
    why?:
      | Array<
          | 'attended'
          | 'breakpoint'
          | 'interval'
          | 'files_changed'
          | 'test_regression'
          | 'failures'
          | 'pattern'
          | 'completion'
        >
      | undefined;
    sender?: Sender | undefined;
  };
  /** What the last iteration changed was undone on request, or why it was not. */
  'rollback.finished': {
    iteration: number;
    ok: boolean;
    /** The files that were restored, at most 200. */
    files?: string[] | undefined;
    /** How many files were restored. */
    count?: number | undefined;
    /** The git reference that keeps all files as they were before. */
    backup?: string | undefined;
    /** Why nothing was undone. */
    message?: string | undefined;
    /** Running time since the previous fact with this field, from a monotonic clock. */
    elapsedMs: number;
  };
  /** The loop accepted a command. */
  'command.accepted': {
    id: string;
    command:
      | 'pause'
      | 'resume'
      | 'stop'
      | 'abort'
      | 'continue'
      | 'skip'
      | 'reboot'
      | 'retry'
      | 'guide'
      | 'mode'
      | 'note'
      | 'breakpoint'
      | 'rollback'
      | 'drop'
      | 'interrupt'
      | 'suspend';
    now?: boolean | undefined;
    text?: string | undefined;
    /** The guidance goes into every prompt until it is dropped; otherwise into one. */
    standing?: boolean | undefined;
    /** The guidance to drop; absent for all of it. */
    number?: number | undefined;
    signal?: string | undefined;
    /** The mode to switch to. */
    mode?: 'unattended' | 'attended' | 'hybrid' | undefined;
    /** When to switch the mode. */
    when?: 'now' | 'iteration' | 'pause' | undefined;
    /** What the note is about. */
    kind?: 'observation' | 'decision' | 'issue' | 'action' | 'question' | undefined;
    /** The breakpoint to set or remove. */
    breakpoint?: number | 'test_regression' | 'completion' | undefined;
    /** The breakpoint is removed instead of set. */
    remove?: boolean | undefined;
    /** Absent in journals of the first releases. */
    sender?: Sender | undefined;
  };
  /** The loop refused a command that it cannot accept in its current state; nothing changed. */
  'command.refused': {
    id: string;
    command: string;
    why: string;
    /** Absent in journals of the first releases. */
    sender?: Sender | undefined;
  };
  /** The checks ran once before the first iteration, to record what already failed. */
  'baseline.finished': {
    verdict: Verdict;
    checks: Check[];
    tests?: TestCounts | undefined;
    /** Measures read from the output and files of the checks. */
    measures?: Measure[] | undefined;
    /** Files in the work tree that the checks write themselves. */
    writes?: string[] | undefined;
    /** Guarded files that the checks change themselves. */
    unguarded?: string[] | undefined;
    /** Guards whose state the checks changed themselves, in their new state. */
    renewed?: Guard[] | undefined;
    /** Where the checks ran; absent in journals of the first releases. */
    proof?: ProofLevel | undefined;
    tree?: JudgedTree | undefined;
    obstacle?: Obstacle | undefined;
    /** Warnings about this run, one sentence each. */
    warnings?: string[] | undefined;
    /** Running time since the previous fact with this field, from a monotonic clock. */
    elapsedMs: number;
  };
  /** An attempt at an iteration starts. */
  'iteration.started': {
    iteration: number;
    attempt: number;
    session: 'fresh' | 'continue';
    sessionId?: string | undefined;
    handOff: boolean;
    /** Ids of the guidance included in this prompt. */
    guidance: string[];
    /** The prompt tells the agent that the previous run only explored and changed nothing. */
    correction?: 'exploration' | undefined;
    /** The files in the work tree before the agent first ran; only in the first attempt. */
    start?: JudgedTree | undefined;
    /** Running time since the previous fact with this field, from a monotonic clock. */
    elapsedMs: number;
  };
  /** The agent process was started. */
  'agent.started': {
    iteration: number;
    attempt: number;
    process: ProcessIdentity;
    /** The sandbox that the agent runs in; absent without one. */
    sandbox?: 'on' | 'strict' | undefined;
  };
  /** The agent process and all its descendants have ended. */
  'agent.finished': {
    iteration: number;
    attempt: number;
    ending: Ending;
    outcome: AgentOutcome;
    resetAt?: string | undefined;
    error?: string | undefined;
    /** The completion promise appears in the assistant's final text. */
    claimed: boolean;
    /** Paths of the conditions met by the assistant's text, such as `stop.0`. */
    outputMatches?: string[] | undefined;
    /** Patterns in its output that make a hybrid loop ask a person. */
    marks?: string[] | undefined;
    /** Hosts and ports that the sandbox did not let it reach, each once and at most twenty. */
    deniedHosts?: string[] | undefined;
    /** The agent printed no text, used no tool and reported no tokens. */
    empty?: boolean | undefined;
    summary?: string | undefined;
    /** Notes of the agent for later iterations, quoted. */
    notes?: RunNotes | undefined;
    /** Number of lines in which the agent reports progress; never treated as proof. */
    markers?: number | undefined;
    /** Number of tool calls that were denied. */
    permissionDenials?: number | undefined;
    /** The denied tools, each once and at most ten, such as `Write` or `Bash(npm test)`. */
    deniedTools?: string[] | undefined;
    usage?: Usage | undefined;
    /** API calls of the last hour of the run, in steps of five minutes, each with its end. */
    calls?: ApiCalls[] | undefined;
    /** Total usage of the session, for agents that report totals. */
    sessionUsage?: Usage | undefined;
    exploration?:
      | {
          /** Calls that read, list or search. */
          reads: number;
          /** All other calls: edits, commands and tools of unknown kind. */
          acts: number;
        }
      | undefined;
    /** Test counts of the agent's own newest test run, read from its output: hints for people, never proof. */
    testHints?: TestHints | undefined;
    /** The pattern of `session.reboot` that the agent's text matches. */
    rebootPattern?: string | undefined;
    /** Estimated tokens that the run added to its session, if the agent does not report its context. */
    estimatedTokens?: number | undefined;
    sessionId?: string | undefined;
    model?: string | undefined;
    changes: Changes;
    durationMs: number;
  };
  /** ralphd checked the files and ran the scripts of the conditions. */
  'conditions.observed': {
    iteration: number;
    attempt: number;
    results: ConditionResult[];
  };
  /** ralphd starts the checks. */
  'gate.started': {
    iteration: number;
    attempt: number;
    /** Paths of the success conditions that triggered the checks, if there was no claim. */
    conditions?: string[] | undefined;
    /** Only "testEvery" triggered the checks: nothing was claimed. */
    isPeriodic?: true | undefined;
  };
  /** The checks have finished. */
  'gate.finished': {
    iteration: number;
    attempt: number;
    verdict: Verdict;
    /** Nothing was claimed, so that even a pass does not complete the loop. */
    isPeriodic?: true | undefined;
    checks: Check[];
    tests?: TestCounts | undefined;
    /** Measures read from the output and files of the checks. */
    measures?: Measure[] | undefined;
    /** Guarded files that were changed. */
    tampered?: string[] | undefined;
    /** Changed files that affect the checks; reported only. */
    doubts?: string[] | undefined;
    /** Protected files that existed when the loop started and were changed; absent if unknown. */
    editedTests?: string[] | undefined;
    /** Files in the work tree that changed while the checks ran. */
    writes?: string[] | undefined;
    /** Number of files that changed since the loop started; absent if unknown. */
    changedFiles?: number | undefined;
    /** Where the checks ran; absent in journals of the first releases. */
    proof?: ProofLevel | undefined;
    tree?: JudgedTree | undefined;
    obstacle?: Obstacle | undefined;
    /** Warnings about this run, one sentence each. */
    warnings?: string[] | undefined;
    durationMs: number;
  };
  /** The iteration has ended and counts. */
  'iteration.finished': {
    iteration: number;
    attempt: number;
    status: 'completed' | 'failed' | 'timed_out' | 'skipped';
    progress: Progress;
    failure?:
      | {
          class: FailureClass;
          message: string;
          signature: string;
        }
      | undefined;
    matchedPattern?: string | undefined;
    /** Paths of the conditions met by the error, such as `stop.0`. */
    errorMatches?: string[] | undefined;
    /** The task is done: verified by the checks, or accepted without verification. */
    completes?: 'verified' | 'trusted' | undefined;
    /** Quality of the work at that point; absent for skipped iterations and in journals of the first releases. */
    quality?: Quality | undefined;
    durationMs: number;
    /** Running time since the previous fact with this field, from a monotonic clock. */
    elapsedMs: number;
  };
  /** The attempt ended without counting: the iteration keeps its number and is retried. */
  'iteration.interrupted': {
    iteration: number;
    attempt: number;
    cause: 'request' | 'limit' | 'environment' | 'configuration' | 'unknown' | 'runner_lost' | 'hook';
    message: string;
    /** When the limit resets, according to the provider. */
    resetAt?: string | undefined;
    /** Running time since the previous fact with this field, from a monotonic clock. */
    elapsedMs: number;
  };
  /** The hooks of one step of an attempt start. */
  'hooks.started': {
    iteration: number;
    attempt: number;
    point: HookStep;
  };
  /** The hooks of one step have finished. */
  'hooks.finished': {
    iteration: number;
    attempt: number;
    point: HookStep;
    results: Array<{
      name: string;
      point: HookPoint;
      ok: boolean;
      /** The hook failed and the loop pauses because of it. */
      fatal?: boolean | undefined;
      durationMs: number;
      /** Beginning and end of its output, truncated. */
      output: string;
      error?: string | undefined;
    }>;
    /** Values for later hooks of this attempt. */
    data?: Record<string, string> | undefined;
    /** Text they add to this attempt's prompt. */
    prompt?: string | undefined;
    /** A hook requested that the loop stop. */
    stop?:
      | {
          hook: string;
          reason: string;
        }
      | undefined;
  };
  /** The hooks of one step outside of an iteration start. */
  'loop_hooks.started': {
    point: LoopHookStep;
  };
  /** The hooks of one step outside of an iteration have finished. */
  'loop_hooks.finished': {
    point: LoopHookStep;
    results: Array<{
      name: string;
      point: HookPoint;
      ok: boolean;
      /** The hook failed and the loop pauses because of it. */
      fatal?: boolean | undefined;
      durationMs: number;
      /** Beginning and end of its output, truncated. */
      output: string;
      error?: string | undefined;
    }>;
    /** Values for all later hooks of the loop. */
    data?: Record<string, string> | undefined;
    /** A hook requested that the loop stop. */
    stop?:
      | {
          hook: string;
          reason: string;
        }
      | undefined;
    /** Only at the end: the rest was not run, because of a command. */
    interrupted?: true | undefined;
    /** Running time since the previous fact with this field, from a monotonic clock. */
    elapsedMs: number;
  };
  /** It is decided how the loop ends; only its last hooks are left to run. */
  'end.decided': {
    status: 'failed' | 'aborted';
    reason: StopReason;
    message: string;
  };
  /** The loop was restored from a backup, perhaps on another machine; what was recorded after that backup is missing. */
  'loop.restored': {
    /** Where the backup was. */
    from: string;
    /** Name of the backup, or when the archive was made. */
    backup: string;
    /** The folder in which the agent works from now on. */
    workingDirectory: string;
  };
  /** The loop was backed up to a target outside its state folder. */
  'backup.finished': {
    target: string;
    /** Name of the backup. */
    backup: string;
    /** Number of the newest fact in the backup. */
    upTo: number;
    /** How many bytes were sent. */
    bytes: number;
  };
}
