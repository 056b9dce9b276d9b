import type {
  Changes,
  HookStep,
  LoopConfig,
  Mode,
  ProofLevel,
  Status,
  StopReason,
  TestCounts,
  Verdict,
} from '../../../src/protocol/index.ts';
import type { Truth } from '../world/script.ts';
import type { CheckReport, Mark } from './best.ts';
import type { CallEntry } from './calls.ts';
import { type ConditionLedger, emptyConditions } from './condition-truth.ts';
import { type DecisionLedger, noDecisions } from './decisions.ts';
import type { GuidanceAccount } from './guidance.ts';
import type { Shown } from './progress.ts';
import { noSessions, type SessionLedger } from './sessions.ts';

/** The open attempt, as the oracle sees it. */
export interface OpenAttempt {
  readonly iteration: number;
  readonly attempt: number;
  readonly guidance: readonly string[];
  readonly correction?: 'exploration' | undefined;
  agentStarted: boolean;
  run?: {
    readonly truth: Truth;
    readonly onRequest: boolean;
    readonly claimed: boolean;
    /** It was stopped because its budget was used up or its session was full. */
    readonly wasCut: boolean;
    readonly resetMs?: number;
    readonly changes: Changes;
    readonly markers: number;
    /** Why it failed, if it did. */
    readonly error: string;
  };
  isObserved?: boolean;
  gate?: 'passed' | 'refused';
  /** Its checks ran only because they were due. */
  isPeriodic?: boolean;
  /** An obstacle kept its checks from running. */
  isObstructed?: boolean;
  report?: CheckReport;
  /** The signs of progress in its gate, compared with the previous gate. */
  readonly shown: Set<Shown>;
  readonly hooks: { readonly finished: Set<HookStep>; broken: boolean };
}

/** Consecutive occurrences, counted from the facts alone. */
export interface Streaks {
  failures: number;
  sameError: number;
  lastError: string | undefined;
  noProgress: number;
  tests: number;
}

/** Requests that have not taken effect yet, each with the sequence number of its fact. */
export interface Wishes {
  pause?: { readonly now: boolean; readonly seq: number; readonly isDiskFull: boolean };
  end?: number;
  resume: boolean;
  reboot?: number;
  retry: boolean;
  /** The iteration that a person skipped. */
  skipped: number;
}

/** A wait, measured on the monotonic clock. */
export interface WaitAccount {
  readonly untilMs: number;
  readonly cause: string;
  readonly wholeMs: number;
  /** When it began, or continued after a pause. */
  sinceMs: number;
  /** The maximum duration from then on; a command or a new owner restarts it. */
  mostMs: number;
}

/** The results of the checks before the first iteration. */
export interface BaselineReport extends CheckReport {
  readonly verdict: Verdict;
  readonly obstacle?: object | undefined;
}

/** What hooks outside of attempts have done, and owe. */
export interface LoopHookLedger {
  hasStarted: boolean;
  /** A reboot may start: its hooks have run. */
  mayReboot: boolean;
  /** A reboot was cancelled, and has to be recorded as failed. */
  isCancelled: boolean;
  hasRebooted: boolean;
  /** The mode before the switches whose hooks have not run, and the mode that the hooks under way were told. */
  modeBefore?: Mode | undefined;
  told?: Mode | undefined;
  mode?: Mode | undefined;
  switchedSeq?: number;
  /** How the loop ends. */
  end?: { readonly status: Status; readonly reason: StopReason };
  hasEnded: boolean;
}

/** An independent account of a loop, built from its facts without the rules under test. */
export interface Ledger {
  config?: LoopConfig;
  checks: number;
  /** Whether the gate has a guarded file. */
  guarded: boolean;
  status: Status | 'idle';
  reason?: StopReason;
  open?: OpenAttempt;
  lastIteration: number;
  lastAttempt: number;
  finished: number;
  counts: { failed: number; timedOut: number; skipped: number; reboots: number };
  runningMs: number;
  tokens: number;
  costUsd: number;
  outputTokens: number;
  toolCalls: number;
  readonly calls: CallEntry[];
  /** Names of changed files, number of unnamed files, and number of lines, counted as the limits count them. */
  readonly changed: { readonly names: Set<string>; unnamed: number; lines: number };
  runs: number;
  streaks: Streaks;
  tests?: TestCounts;
  baseline?: BaselineReport;
  /** The obstacle of the latest gates, and how many gates in a row it blocked. */
  obstacle?: { readonly code: string; readonly gates: number };
  /** The proof level of the latest gate. */
  proof?: ProofLevel | undefined;
  /** The number of tests that passed in the latest gate. */
  passing?: number | undefined;
  /** The rating of each iteration. */
  readonly marks: Mark[];
  /** Which checks passed in their latest run. */
  readonly gateBefore: Map<string, boolean>;
  /** The best value of each measure so far. */
  readonly best: Map<string, number>;
  /** The latest iteration in which a measure improved. */
  numbersIn: number;
  /** The latest iteration in which a check passed that had not passed before. */
  checksIn: number;
  matched: boolean;
  free: { environment: number; unknown: number };
  wait?: WaitAccount;
  /** What must follow a free attempt before the next one starts. */
  due?: 'limit' | 'environment' | 'configuration' | 'unknown' | 'delay' | 'hook' | 'obstacle' | 'baseline';
  dueResetMs: number | undefined;
  triggered?: StopReason;
  hookStop: boolean;
  readonly loopHooks: LoopHookLedger;
  readonly conditions: ConditionLedger;
  readonly decisions: DecisionLedger;
  readonly sessions: SessionLedger;
  /** The claim or gate that must complete the loop. */
  earned?: { readonly verified: boolean };
  wishes: Wishes;
  abortedAtMs: number;
  /** The answer to each command. */
  readonly answers: Map<string, 'accepted' | 'refused'>;
  guidance: Map<string, GuidanceAccount>;
  handOffDue: boolean;
  contextPercent: number;
  failedReboots: number;
  ended: number;
  owners: number;
}

/** An empty ledger. */
export function emptyLedger(): Ledger {
  return {
    checks: 0,
    guarded: false,
    status: 'idle',
    lastIteration: 0,
    lastAttempt: 0,
    finished: 0,
    counts: { failed: 0, timedOut: 0, skipped: 0, reboots: 0 },
    runningMs: 0,
    tokens: 0,
    costUsd: 0,
    outputTokens: 0,
    toolCalls: 0,
    calls: [],
    changed: { names: new Set(), unnamed: 0, lines: 0 },
    runs: 0,
    streaks: { failures: 0, sameError: 0, lastError: undefined, noProgress: 0, tests: 0 },
    marks: [],
    gateBefore: new Map(),
    best: new Map(),
    numbersIn: 0,
    checksIn: 0,
    matched: false,
    free: { environment: 0, unknown: 0 },
    dueResetMs: undefined,
    hookStop: false,
    loopHooks: { hasStarted: false, mayReboot: false, isCancelled: false, hasRebooted: false, hasEnded: false },
    conditions: emptyConditions(),
    decisions: noDecisions(),
    sessions: noSessions(),
    abortedAtMs: Infinity,
    wishes: { resume: false, retry: false, skipped: 0 },
    answers: new Map(),
    guidance: new Map(),
    handOffDue: false,
    contextPercent: 0,
    failedReboots: 0,
    ended: 0,
    owners: 1,
  };
}
