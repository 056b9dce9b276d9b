import type {
  Changes,
  HookStep,
  LoopConfig,
  ProofLevel,
  Status,
  StopReason,
  TestCounts,
  Verdict,
} from '../../../src/protocol/index.ts';
import type { Truth } from '../world/script.ts';
import type { CheckReport, Mark } from './best.ts';
import { type ConditionLedger, emptyConditions } from './condition-truth.ts';
import { type DecisionLedger, noDecisions } from './decisions.ts';
import type { GuidanceAccount } from './guidance.ts';
import type { Shown } from './progress.ts';

/** The attempt under way, as the oracle sees it. */
export interface OpenAttempt {
  readonly iteration: number;
  readonly attempt: number;
  readonly guidance: readonly string[];
  agentStarted: boolean;
  run?: {
    readonly truth: Truth;
    readonly onRequest: boolean;
    readonly claimed: boolean;
    /** Its budget was used up before it was done. */
    readonly wasCut: boolean;
    readonly resetMs?: number;
    readonly changes: Changes;
    readonly markers: number;
    /** Why it failed, if it did. */
    readonly error: string;
  };
  isObserved?: boolean;
  gate?: 'passed' | 'refused';
  /** Something kept its checks from running. */
  isObstructed?: boolean;
  /** What its checks said. */
  report?: CheckReport;
  /** What its gate shows beside the one before it. */
  readonly shown: Set<Shown>;
  readonly hooks: { readonly finished: Set<HookStep>; broken: boolean };
}

/** How often in a row something happened, counted from the facts alone. */
export interface Streaks {
  failures: number;
  sameError: number;
  lastError: string | undefined;
  noProgress: number;
  tests: number;
}

/** What people asked for and has yet to happen, with the number of the fact that says so. */
export interface Wishes {
  pause?: { readonly now: boolean; readonly seq: number };
  end?: number;
  resume: boolean;
  reboot?: number;
  retry: boolean;
  /** The iteration that somebody gave up. */
  skipped: number;
}

/** A wait, on the clock that never jumps. */
export interface WaitAccount {
  readonly untilMs: number;
  readonly cause: string;
  readonly wholeMs: number;
  /** When it began, or went on after a pause. */
  sinceMs: number;
  /** How long it may last from then on: a command or a new owner begins it again. */
  mostMs: number;
}

/** What the checks showed before the first iteration. */
export interface BaselineReport extends CheckReport {
  readonly verdict: Verdict;
  readonly obstacle?: object | undefined;
}

/** An independent account of a loop, kept from its facts without asking the rules. */
export interface Ledger {
  config?: LoopConfig;
  checks: number;
  /** Whether a file of the gate is guarded. */
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
  /** Names of changed files, files without a name, and lines, as limits count them. */
  readonly changed: { readonly names: Set<string>; unnamed: number; lines: number };
  runs: number;
  streaks: Streaks;
  tests?: TestCounts;
  baseline?: BaselineReport;
  /** Why the newest gates could not check anything, and how many in a row. */
  obstacle?: { readonly code: string; readonly gates: number };
  /** How far the proof of the newest gate reaches. */
  proof?: ProofLevel | undefined;
  /** How many tests passed in the newest gate. */
  passing?: number | undefined;
  /** How each iteration came off. */
  readonly marks: Mark[];
  /** Which checks passed when they ran last. */
  readonly gateBefore: Map<string, boolean>;
  /** The best of each number so far. */
  readonly best: Map<string, number>;
  /** The iteration in which one of them got better last. */
  numbersIn: number;
  /** The iteration in which a check passed last that had not passed before. */
  checksIn: number;
  matched: boolean;
  free: { environment: number; unknown: number };
  wait?: WaitAccount;
  /** What an attempt that cost nothing has to lead to before the next one. */
  due?: 'limit' | 'environment' | 'configuration' | 'unknown' | 'delay' | 'hook' | 'obstacle' | 'baseline';
  dueResetMs: number | undefined;
  triggered?: StopReason;
  /** A hook asked the loop to stop. */
  hookStop: boolean;
  readonly conditions: ConditionLedger;
  readonly decisions: DecisionLedger;
  /** The claim or gate that has to complete the loop. */
  earned?: { readonly verified: boolean };
  wishes: Wishes;
  /** When somebody aborted the loop. */
  abortedAtMs: number;
  /** How each command was answered. */
  readonly answers: Map<string, 'accepted' | 'refused'>;
  guidance: Map<string, GuidanceAccount>;
  handOffDue: boolean;
  contextPercent: number;
  failedReboots: number;
  ended: number;
  owners: number;
}

/** An account of nothing yet. */
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
    conditions: emptyConditions(),
    decisions: noDecisions(),
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
