import type { BudgetLeft, CallAllowance, HostSession, RedlineCut } from '../../core/index.ts';
import type {
  AgentOutcome,
  AgentProgress,
  ApiCalls,
  Ending,
  ProcessIdentity,
  TestHints,
  Usage,
} from '../../protocol/index.ts';
import type { AttemptKey, EffectSignals } from './attempt.ts';
import type { Permit } from './lease.ts';

/** Receives what an agent has done so far, each time its output shows more. */
interface Reporting {
  readonly onProgress?: (progress: AgentProgress) => void;
}

/** An attempt for the agent to work on. */
export interface AgentTask extends AttemptKey, EffectSignals, Reporting {
  /** The prompt; `AttemptFiles` keeps it as well. */
  readonly prompt: string;
  readonly session: 'fresh' | 'continue';
  readonly sessionId?: string;
  /** What the session had used before, if the agent reported a total. */
  readonly sessionUsage?: Usage;
  readonly budget: BudgetLeft;
  /** What is left of the hourly bound on API calls, if it may end a run. */
  readonly allowance?: CallAllowance;
  /** At what usage of its context the agent is ended; without it, the agent may finish. */
  readonly redline?: RedlineCut;
  /** Without it, an agent whose owner is gone runs until its iteration's deadline. */
  readonly permit?: Permit;
  /** Called and awaited once the agent runs; if it rejects, the agent is killed and the run rejects. */
  readonly onStarted: (process: ProcessIdentity, sandbox?: 'on' | 'strict') => Promise<void>;
}

/** An attempt that an earlier owner began. */
export interface RecoverTask extends AttemptKey, EffectSignals, Reporting {
  /** The agent's process, as far as it was recorded. */
  readonly process?: ProcessIdentity;
  readonly sessionUsage?: Usage;
  /** Counts from the start of the run, except for its time. */
  readonly budget: BudgetLeft;
  readonly allowance?: CallAllowance;
  readonly redline?: RedlineCut;
  /** When the attempt began. */
  readonly startedAt?: string;
  /** Whether to adopt an agent that still runs; otherwise it is ended. */
  readonly adopt: boolean;
}

/** The result of a run of the agent, read from its stream. */
export interface AgentRun {
  readonly ending: Ending;
  readonly outcome: AgentOutcome;
  readonly claimText: string;
  /** The assistant's own text of the run, or the end of it; never a tool's output. */
  readonly text: string;
  /** It printed no text, used no tool and reported no tokens. */
  readonly empty?: boolean;
  readonly error?: string;
  /** How often it was denied the use of a tool. */
  readonly permissionDenials?: number;
  /** The denied tools, each once, with the command if there is one: `Bash(npm test)`. */
  readonly deniedTools?: string[];
  /** The hosts that its sandbox did not let it reach. */
  readonly deniedHosts?: string[];
  /** How many of its calls of tools only read, list or search, and how many may have changed something. */
  readonly exploration?: { readonly reads: number; readonly acts: number };
  /** Test counts that the output of its own commands shows: hints, never proof. */
  readonly testHints?: TestHints;
  readonly resetAt?: string;
  readonly sessionId?: string;
  readonly model?: string;
  readonly usage?: Usage;
  /** Its API calls in its last hour, if it reports them. */
  readonly calls?: ApiCalls[];
  /** What its session has used so far, for an agent that reports only session totals. */
  readonly sessionUsage?: Usage;
  readonly durationMs: number;
}

/** An attempt whose prompt goes to an agent in an interactive session. */
export interface HandOverTask extends AttemptKey {
  readonly prompt: string;
}

/** Runs the agent. Returns only when nothing it started is left. */
export interface AgentPort {
  /**
   * Instead of `run`, for an agent in an interactive session: takes the prompt for that session. The loop is then parked,
   * and a later owner gets the result of the attempt from `recover`.
   */
  readonly handOver?: ((task: HandOverTask) => HostSession) | undefined;
  run(task: AgentTask): Promise<AgentRun>;
  /**
   * Continues an earlier owner's attempt: adopts its agent if it still runs, takes its result if it has ended.
   * `undefined` if it never started or its result is unknown; then nothing of it is left.
   */
  recover(task: RecoverTask): Promise<AgentRun | undefined>;
}
