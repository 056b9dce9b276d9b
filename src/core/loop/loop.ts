import type {
  Check,
  CheckCommand,
  ConditionResult,
  FailureClass,
  Guard,
  JudgedTree,
  LoopConfig,
  Obstacle,
  Phase,
  ProcessIdentity,
  ProofLevel,
  RebootCause,
  Status,
  StopReason,
  TestCounts,
  Usage,
  Verdict,
} from '../../protocol/index.ts';
import type { CriterionReading } from '../gate/checks.ts';
import { noProtectedFiles, type ProtectedFiles } from '../gate/protection.ts';
import type { KeptMeasure } from '../judge/measures.ts';
import type { Remembered, RememberedTest } from '../judge/test-memory.ts';
import type { CurrentAttempt, GateResult, Guidance, JudgedIteration } from './attempt.ts';
import { type Notes, noNotes } from './notes.ts';
import { nothingSpent, type Spent } from './spent.ts';
import { emptyStats, type LoopStats } from './stats.ts';

/** What a person asked for and the loop has yet to do. */
export interface Requests {
  readonly pause?: {
    readonly now: boolean;
    readonly reason: 'user_pause' | 'interrupted' | 'environment';
    readonly message?: string;
  };
  readonly end?: { readonly gracefully: boolean };
  readonly skip?: true;
  readonly reboot?: true;
  readonly resume?: true;
}

/**
 * What the baseline or the end of an attempt leads to and no fact says yet. Each fact stands by itself: a crash right
 * after it must not lose what follows from it.
 */
export type Owed =
  | { readonly cause: 'delay' }
  | {
      readonly cause: 'limit' | 'environment' | 'unknown' | 'configuration' | 'hook' | 'obstacle';
      readonly message: string;
      readonly resetAt?: string;
    };

/** Nothing starts before this instant. */
export interface Wait {
  readonly until: string;
  /** When it was decided; missing in snapshots of the first releases. */
  readonly since?: string;
  readonly cause: 'delay' | 'limit' | 'environment' | 'unknown' | 'reboot';
  readonly message: string;
}

/** How often in a row something that costs no iteration happened. */
export interface FreeRetries {
  readonly limit: number;
  readonly environment: number;
  readonly unknown: number;
  readonly reboot: number;
}

/** The agent's session that a continued iteration would go on with. */
export interface AgentSession {
  readonly id?: string;
  readonly startedAt: string;
  readonly iterations: number;
  /** What it has used by now, where the agent reports that. */
  readonly usage?: Usage;
  readonly contextPercent?: number;
}

/** A session that is over. */
export interface EndedSession {
  readonly id?: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly iterations: number;
  readonly endReason: RebootCause | 'iteration';
}

/** One try of the gate, as the state document lists it. */
export interface CompletionCheck {
  readonly iteration: number;
  readonly at: string;
  readonly passed: boolean;
  /** Every check passed, but there was no work to prove. */
  readonly isUnchanged?: true;
  readonly output: string;
}

/** The last failure that counted, for the rule about repeated errors. */
export interface LastFailure {
  readonly class: FailureClass;
  readonly message: string;
  readonly signature: string;
  readonly streak: number;
  /** Places of the conditions that its message meets. */
  readonly matches?: readonly string[];
}

/** The agent's own summary of one iteration. */
export interface Summary {
  readonly iteration: number;
  readonly text: string;
}

/** A snapshot that sealed checks are given instead of what lies in the work tree. */
export interface SealedEnvironment {
  readonly id: string;
  readonly digest: string;
  readonly folders: readonly string[];
  readonly files: number;
  readonly bytes: number;
}

/** What the checks showed before the first iteration. */
export interface Baseline {
  readonly verdict: Verdict;
  readonly checks: readonly Check[];
  readonly tests?: TestCounts;
  readonly obstacle?: Obstacle;
  readonly warnings?: readonly string[];
  /** Files of the work tree that the checks write themselves. */
  readonly writes?: readonly string[];
}

/** A command that was answered. */
export interface ServedCommand {
  readonly id: string;
  /** Why it was refused; missing when it was accepted. */
  readonly refusedBecause?: string;
}

/** Everything that decides what a loop does next: a pure fold over its facts, of bounded size. */
export interface Loop {
  readonly id: string;
  readonly uuid: string;
  readonly status: Status | 'idle';
  readonly phase: Phase;
  readonly task: string;
  readonly agent: string;
  readonly workingDirectory: string;
  readonly startedBy: string;
  readonly resumedFrom?: string;
  /** What the user was warned of when the loop started. */
  readonly warnings?: readonly string[];
  readonly config: LoopConfig;
  readonly configHash: string;
  /** The commands of the gate, fixed when the loop started. */
  readonly checks: readonly CheckCommand[];
  /** The one of them that is the project's own test command, found. */
  readonly foundTest?: string;
  /** Criteria that were sentences, and what they were taken for. */
  readonly readings?: readonly CriterionReading[];
  /** Files and scripts that decide what the checks say, as they were when the loop started. */
  readonly guards?: readonly Guard[];
  /** The files of the work tree before the first agent ran. */
  readonly start?: JudgedTree;
  /** Files that changed while checks ran, the newest last: to write them is no work of the agent. */
  readonly checkWrites?: readonly string[];
  /** Scripts and targets behind the checks that hide the exit code of their test. */
  readonly masked?: readonly string[];
  /** What sealed checks need besides the work, as it was before any agent ran. */
  readonly environment?: SealedEnvironment;
  /** Protected files as they were: the commit that has them, and the git reference that keeps it. */
  readonly base?: { readonly ref: string; readonly commit: string };
  readonly seq: number;
  readonly epoch: number;
  readonly owner?: ProcessIdentity;
  readonly startedAt?: string;
  readonly lastActivityAt?: string;
  readonly endedAt?: string;
  readonly reason?: StopReason;
  readonly message?: string;
  readonly verified: boolean;
  /** How far the proof reaches, once the loop has completed. */
  readonly proof?: ProofLevel;
  /** Number of the latest iteration that was started; 0 before the first. */
  readonly iteration: number;
  /** Attempts made at that iteration. */
  readonly attempt: number;
  /** Number of iterations that are over and count. */
  readonly finished: number;
  readonly current?: CurrentAttempt;
  readonly requests: Requests;
  readonly wait?: Wait;
  readonly owed?: Owed;
  /** The latest iteration proved the task done, or is trusted to have. */
  readonly earned?: 'verified' | 'trusted';
  readonly retries: FreeRetries;
  readonly stats: LoopStats;
  readonly runningMs: number;
  readonly spent: Spent;
  readonly session?: AgentSession;
  readonly sessionHistory: readonly EndedSession[];
  /** A reboot happened: the next prompt hands the work over to a fresh session. */
  readonly handOff: boolean;
  readonly baseline?: Baseline;
  /** Why the newest gates could not check anything, and how many in a row. */
  readonly obstacle?: { readonly code: string; readonly gates: number };
  readonly gate?: { readonly iteration: number; readonly result: GateResult };
  readonly completionChecks: readonly CompletionCheck[];
  readonly tests?: TestCounts;
  readonly lastFailure?: LastFailure;
  /** What the agent said it did, newest last. */
  readonly summaries: readonly Summary[];
  /** What it noted for those after it. */
  readonly notes: Notes;
  readonly matchedPattern?: string;
  /** What the latest look at files and scripts said about conditions. */
  readonly observed?: readonly ConditionResult[];
  /** Places of the conditions that the agent's latest words met. */
  readonly outputMatches?: readonly string[];
  /** A hook asked the loop to stop. */
  readonly hookStop?: { readonly hook: string; readonly reason: string };
  readonly lastProgressIteration: number;
  /** The best iteration so far, and the newest that was checked; none in snapshots of the first releases. */
  readonly best?: JudgedIteration;
  readonly lastChecked?: JudgedIteration;
  /** How the newest iterations did, 0 to 1, newest last; one whose progress could not be told is left out. */
  readonly recentScores: readonly number[];
  /** The files that the loop changed last, newest last. */
  readonly touchedFiles: readonly string[];
  readonly protectedFiles: ProtectedFiles;
  readonly testMemory: readonly RememberedTest[];
  /** The same for the checks of the gate. */
  readonly checkMemory: readonly Remembered[];
  /** The numbers that the gate gave last, each beside its best. */
  readonly measures: readonly KeptMeasure[];
  readonly guidance: readonly Guidance[];
  /** The newest commands that were answered, so that none is carried out twice and its sender learns the answer. */
  readonly servedCommands: readonly ServedCommand[];
  readonly recoveries: number;
}

/** The settings that it takes to show a loop: how far it may go, and what would stop it. */
export type ShownConfig = Pick<
  LoopConfig,
  | 'maxIterations'
  | 'maxTime'
  | 'maxTokens'
  | 'maxOutputTokens'
  | 'maxToolCalls'
  | 'maxCostUsd'
  | 'onLimit'
  | 'stopConditions'
> & { readonly hooks: readonly unknown[] };

/** A loop as far as it can be shown; whoever drives it needs all of its settings. */
export type ShownLoop = Omit<Loop, 'config'> & { readonly config: ShownConfig };

/** Only the newest of these stay in the state; the journal has them all. */
export const keptCompletionChecks = 20;
/** How much of each completion check's output stays in the state. */
export const longestKeptOutput = 1_000;
/** How many of the agent's summaries stay in the state. */
export const keptSummaries = 5;
/** How many ended sessions stay in the state. */
export const keptSessions = 20;
/** How many progress scores stay in the state. */
export const keptScores = 20;
/** How many names of changed files stay in the state. */
export const keptFiles = 200;
/** How much guidance may wait for the next prompt. */
export const keptGuidance = 50;
/** How many answered commands are remembered. */
export const keptCommands = 64;

/** A loop before its first fact. */
export function idleLoop<Config extends ShownConfig>(config: Config): Omit<Loop, 'config'> & { config: Config } {
  return {
    id: '',
    uuid: '',
    status: 'idle',
    phase: 'starting',
    task: '',
    agent: '',
    workingDirectory: '',
    startedBy: '',
    config,
    configHash: '',
    checks: [],
    seq: 0,
    epoch: 0,
    verified: false,
    iteration: 0,
    attempt: 0,
    finished: 0,
    requests: {},
    retries: { limit: 0, environment: 0, unknown: 0, reboot: 0 },
    stats: emptyStats,
    runningMs: 0,
    spent: nothingSpent,
    sessionHistory: [],
    handOff: false,
    completionChecks: [],
    summaries: [],
    notes: noNotes,
    lastProgressIteration: 0,
    recentScores: [],
    touchedFiles: [],
    protectedFiles: noProtectedFiles,
    testMemory: [],
    checkMemory: [],
    measures: [],
    guidance: [],
    servedCommands: [],
    recoveries: 0,
  };
}
