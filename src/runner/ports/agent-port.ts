import type { BudgetLeft } from '../../core/index.ts';
import type { AgentOutcome, AgentProgress, Ending, ProcessIdentity, Usage } from '../../protocol/index.ts';
import type { AttemptKey, EffectSignals } from './attempt.ts';
import type { Permit } from './lease.ts';

/** Receives what an agent has done so far, each time its output reveals more. */
interface Reporting {
  readonly onProgress?: (progress: AgentProgress) => void;
}

/** An attempt the agent is to work on. */
export interface AgentTask extends AttemptKey, EffectSignals, Reporting {
  /** What the agent is to do; `AttemptFiles` keeps it as well. */
  readonly prompt: string;
  readonly session: 'fresh' | 'continue';
  readonly sessionId?: string;
  /** What the session had used before, as far as the agent reported its total. */
  readonly sessionUsage?: Usage;
  readonly budget: BudgetLeft;
  /** Without one, an agent whose owner is gone runs until its iteration's deadline. */
  readonly permit?: Permit;
  /** Called once the agent runs; awaited, and when it rejects the agent is killed and the run rejects. */
  readonly onStarted: (process: ProcessIdentity) => Promise<void>;
}

/** An attempt that an earlier owner began. */
export interface RecoverTask extends AttemptKey, EffectSignals, Reporting {
  /** The agent's process, as far as it was recorded. */
  readonly process?: ProcessIdentity;
  readonly sessionUsage?: Usage;
  /** Counts from when the run began, except for its time. */
  readonly budget: BudgetLeft;
  /** Whether to go on with an agent that still runs; otherwise it is ended. */
  readonly adopt: boolean;
}

/** The result of a run of the agent, read from its stream. */
export interface AgentRun {
  readonly ending: Ending;
  readonly outcome: AgentOutcome;
  readonly claimText: string;
  /** The assistant's own words of the whole run, or the last of them; never those of a tool. */
  readonly text: string;
  /** It printed no text, used no tool and reported no tokens. */
  readonly empty?: boolean;
  readonly error?: string;
  /** How often it was not allowed to use a tool. */
  readonly permissionDenials?: number;
  /** Which tools those were, each once, with the command where there is one: `Bash(npm test)`. */
  readonly deniedTools?: string[];
  readonly resetAt?: string;
  readonly sessionId?: string;
  readonly model?: string;
  readonly usage?: Usage;
  /** What its session has used by now, from an agent that reports no other number. */
  readonly sessionUsage?: Usage;
  readonly durationMs: number;
}

/** Runs the agent. Returns only when nothing it started is left. */
export interface AgentPort {
  run(task: AgentTask): Promise<AgentRun>;
  /**
   * Goes on with an earlier owner's attempt: adopts its agent if it still runs, takes its result if it has ended.
   * `undefined` when it never started or nobody knows what became of it; then nothing of it is left.
   */
  recover(task: RecoverTask): Promise<AgentRun | undefined>;
}
