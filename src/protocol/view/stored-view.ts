import type { LoopConfig } from '../config/loop-config.ts';
import type { Quality, Sender, TestCounts, Worktree } from '../facts/fact-shapes.ts';
import type { AskReason, Mode, QuestionPoint, SwitchMoment } from '../modes.ts';
import type { StoredLoop } from '../snapshot/stored-loop.ts';
import type {
  ConditionSet,
  ContextLevel,
  Phase,
  ProofLevel,
  RebootAdvice,
  Status,
  StopReason,
  Verdict,
} from '../words.ts';

/**
 * The version of the view. It may be raised freely: nothing depends on a view that another version wrote,
 * because a reader that finds another version computes the view itself.
 */
export const viewVersion = 5;

/** A deeply read-only value. */
export type Frozen<Value> = Value extends object ? { readonly [Key in keyof Value]: Frozen<Value[Key]> } : Value;
type Stored<Key extends keyof StoredLoop> = Frozen<Exclude<StoredLoop[Key], undefined>>;

/** How close a stop rule is to stopping the loop after the latest iteration. */
export interface RuleStanding {
  readonly rule: StopReason;
  /** A limit the user set, which `onLimit` may turn into a pause; other rules end the loop. */
  readonly kind: 'limit' | 'rule';
  /** 0 to 1; 1 means that no further iteration may start. `null`: it cannot be measured. */
  readonly near: number | null;
  /** The evidence, in words. */
  readonly evidence: string;
  /** For a user-defined condition: its set. A success condition ends nothing; it makes the loop run the gate. */
  readonly set?: ConditionSet;
  /** For a user-defined condition: its place in the settings, such as `stop.0`. */
  readonly key?: string;
  /** For a user-defined condition: what it is waiting for. */
  readonly description?: string;
}

/** Everything known about a test that has failed at least once. */
export interface TestRecord {
  /** The same in every run: without colours, times and addresses. */
  readonly id: string;
  readonly name: string;
  readonly file?: string;
  /** `unknown` if the newest run did not report the test. */
  readonly status: 'passed' | 'failed' | 'unknown';
  readonly passStreak: number;
  readonly failStreak: number;
  readonly passes: number;
  readonly failures: number;
  readonly flaky: boolean;
  readonly lastError?: string;
  /** The newest twenty, newest last: `p` passed, `f` failed. */
  readonly results: string;
}

/** The latest counted run of the tests, and what stands out compared with earlier runs. */
export interface TestSummary extends Frozen<Pick<TestCounts, 'framework' | 'total' | 'passed' | 'failed' | 'skipped'>> {
  /** Changes in a row that made no failing test pass. */
  readonly failureStreak: number;
  /** Names of tests that pass since the newest run. */
  readonly fixed: readonly string[];
  /** Names of tests that fail since the newest run. */
  readonly broken: readonly string[];
  readonly flaky: readonly string[];
  /** Tests that failed three times in a row or more. */
  readonly stubborn: readonly TestRecord[];
}

/** The same, with every test that has failed once. */
export interface ViewedTests extends TestSummary {
  readonly tracked: readonly TestRecord[];
}

/** The best iteration, or the state before the first if no checked iteration was as good. */
export type ViewedBest =
  | { readonly kind: 'iteration'; readonly iteration: number; readonly quality: Frozen<Quality> }
  | { readonly kind: 'start'; readonly quality: Frozen<Pick<Quality, 'checks' | 'tests'>> };

/** A command that was accepted but not carried out yet. */
export type ViewedRequest = 'pause' | 'pause_now' | 'stop' | 'abort' | 'skip' | 'reboot' | 'resume' | 'guide';

/** How fast the loop makes progress. */
export interface ViewedProgress {
  readonly velocity: number | null;
  readonly streak: number;
  readonly recommendation: 'continue' | 'monitor' | 'consider_change' | 'stop';
  readonly recentScores: readonly number[];
  readonly lastIteration: number;
  /** Whether more iterations still improve what the checks prove; missing before two were checked. */
  readonly returns?: ViewedReturns;
}

/** What the latest gains in quality suggest; no rule acts on it. */
export interface ViewedReturns {
  /** `plateau`: three gains in a row below 2 %; `diminishing`: two in a row below 5 points or 5 %. */
  readonly trend: 'gaining' | 'diminishing' | 'plateau';
  /** The iteration after which little was gained; missing while the quality rises. */
  readonly since?: number;
  /** The quality of the latest checked iteration, from 0 to 100. */
  readonly score: number;
}

/** The agent's session. */
export interface ViewedSession {
  readonly startedAt: string;
  readonly iterations: number;
  /** Whether later iterations continue it; otherwise each has a session of its own. */
  readonly isContinued: boolean;
  readonly context?: {
    readonly percent: number;
    readonly level: ContextLevel;
    /** An estimate is shown and never causes a reboot. */
    readonly source: 'reported' | 'estimated';
  };
  /** Its latest iterations show that the work gets worse. */
  readonly isDegraded: boolean;
  readonly advice: RebootAdvice;
}

/**
 * Everything that a reader shows of a loop, written by its owner with each snapshot, so that readers need
 * neither the schemas nor the rules. Like the snapshot it is disposable: it follows from the facts.
 */
export interface StoredView {
  readonly version: typeof viewVersion;
  readonly id: string;
  readonly uuid: string;
  readonly status: Status | 'idle';
  readonly phase: Phase;
  readonly reason?: StopReason;
  readonly message?: string;
  readonly verified: boolean;
  readonly proof: ProofLevel;
  readonly iteration: number;
  readonly attempt: number;
  /** The current attempt. */
  readonly current?: {
    readonly startedAt: string;
    readonly stage: 'begun' | 'executing' | 'executed' | 'verifying' | 'verified';
  };
  /** Accepted commands that are not carried out yet. */
  readonly requested: readonly ViewedRequest[];
  /** Who requested the pending pause or end. */
  readonly requestedBy?: Sender;
  /** 0 for no limit. */
  readonly maxIterations: number;
  readonly agent: string;
  readonly task: string;
  readonly workingDirectory: string;
  /** The git worktree and the branch that the loop has for itself. */
  readonly worktree?: Frozen<Worktree>;
  readonly startedAt?: string;
  readonly lastActivityAt?: string;
  readonly endedAt?: string;
  readonly runningMs: number;
  readonly resumedFrom?: string;
  /** How the loop is run. */
  readonly mode: Mode;
  /** The mode that it switches to later. */
  readonly nextMode?: { readonly mode: Mode; readonly when: SwitchMoment };
  /** What it asks a person. */
  readonly question?: {
    readonly point: QuestionPoint;
    readonly iteration: number;
    readonly why: readonly AskReason[];
    readonly askedAt: string;
    readonly approveAt?: string;
  };
  readonly wait?: Stored<'wait'>;
  /** When to resume the loop, if its owner shut down cleanly while the loop waits. */
  readonly wakeAt?: string;
  /** The interactive session that works on the loop. */
  readonly hostSession?: Stored<'hostSession'>;
  /** The sandbox of the agent and the checks; missing without one. */
  readonly sandbox?: 'on' | 'strict';
  /** The agent's process, while it is expected to run. */
  readonly agentProcess?: Stored<'owner'>;
  readonly stats: Stored<'stats'>;
  readonly spent: Required<Stored<'spent'>>;
  /** The bounds on resources and the API calls of the last hour; missing without such a bound. */
  readonly resources?: Frozen<LoopConfig['resources']> & { readonly recentCalls: Stored<'recentCalls'> };
  readonly progress: ViewedProgress;
  /** The agent's session; missing before its first run. */
  readonly agentSession?: ViewedSession;
  /** The latest reboots, newest last, at most ten. */
  readonly reboots: Stored<'reboots'>;
  readonly best?: { readonly iteration: number; readonly quality: Frozen<Quality> };
  /** The best result; missing if the checks prove nothing. */
  readonly bestResult?: ViewedBest;
  readonly notes: Stored<'notes'>;
  readonly changedProtected: readonly string[];
  /** Tool calls of the latest run that were denied. */
  readonly denied?: { readonly iteration: number; readonly count: number; readonly tools: readonly string[] };
  readonly lastGate?: { readonly iteration: number; readonly verdict: Verdict; readonly tampered?: readonly string[] };
  readonly doubts: readonly { readonly code: string; readonly message: string; readonly files?: readonly string[] }[];
  readonly warnings: readonly string[];
  readonly tests?: ViewedTests;
  readonly measures: Stored<'measures'>;
  readonly rules: readonly RuleStanding[];
  /** How a paused loop continues, with the limits to raise; missing while a condition would pause it again at once. */
  readonly resume?: { readonly raise: readonly { readonly setting: string; readonly to: number }[] };
}

/** The view in a snapshot; undefined if there is none of this version and it has to be computed from the loop. */
export function viewIn(document: { readonly [key: string]: unknown }): StoredView | undefined {
  const { ralphd } = document;
  const view: unknown = typeof ralphd === 'object' && ralphd !== null ? Reflect.get(ralphd, 'view') : undefined;
  return isView(view) ? view : undefined;
}

// The snapshot's checksum was verified before: a view of this version is what `viewOf` made.
function isView(value: unknown): value is StoredView {
  return typeof value === 'object' && value !== null && Reflect.get(value, 'version') === viewVersion;
}
