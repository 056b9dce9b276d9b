import type { Loop, LoopCommand } from '../core/index.ts';
import type {
  AgentOutcome,
  Changes,
  Check,
  CheckCommand,
  Ending,
  Fact,
  ProcessIdentity,
  RecordedFact,
  TestCounts,
  Usage,
  Verdict,
} from '../protocol/index.ts';

/** Where a loop's facts live. A fact that `append` returned is durable. */
export interface LoopStore {
  append(facts: readonly Fact[]): readonly RecordedFact[];
  /** Refreshes the snapshot that status readers and the next owner start from. */
  save(loop: Loop): void;
  /** Why the loop has to rest until somebody mends its disk; nothing as long as all is well. */
  trouble(): string | undefined;
}

/** Wall time for facts, and a clock that never jumps for durations. */
export interface Clock {
  nowMs(): number;
  monotonicMs(): number;
  /** Resolves at an instant of the wall clock, or earlier when the signal says so. */
  waitUntil(instantMs: number, signal: AbortSignal): Promise<void>;
}

/** Which attempt at which iteration. */
export interface AttemptKey {
  readonly iteration: number;
  readonly attempt: number;
}

/** What can break off an effect: `signal` asks, `kill` insists. */
export interface EffectSignals {
  readonly signal: AbortSignal;
  readonly kill: AbortSignal;
}

/** An attempt the agent is to work on. */
export interface AgentTask extends AttemptKey, EffectSignals {
  readonly session: 'fresh' | 'continue';
  readonly sessionId?: string;
  readonly onStarted: (process: ProcessIdentity) => void;
}

/** What a run of the agent came to, read from its stream. */
export interface AgentRun {
  readonly ending: Ending;
  readonly outcome: AgentOutcome;
  readonly claimText: string;
  /** What the agent was told, so that an echo of it is not taken for a claim. */
  readonly prompt: string;
  readonly error?: string;
  readonly resetAt?: string;
  readonly sessionId?: string;
  readonly model?: string;
  readonly usage?: Usage;
  readonly durationMs: number;
}

/** Runs the agent. Returns only when nothing it started is left. */
export interface AgentPort {
  /** Keeps the prompt of an attempt where the agent and people find it. */
  preparePrompt(key: AttemptKey, prompt: string): void;
  run(task: AgentTask): Promise<AgentRun>;
  /** Ends what an earlier owner's attempt may have left running. */
  recover(key: AttemptKey, process: ProcessIdentity | undefined): Promise<void>;
}

/** Runs the checks of the gate. */
export interface GatePort {
  /** `undefined` when it was broken off. */
  run(checks: readonly CheckCommand[], signals: EffectSignals): Promise<GateRun | undefined>;
}

/** What the checks said. */
export interface GateRun {
  readonly verdict: Verdict;
  readonly checks: readonly Check[];
  readonly tests?: TestCounts;
  readonly durationMs: number;
}

/** Tells what changed in the work tree since it last looked. */
export interface WorkspacePort {
  begin(): Promise<void>;
  changes(): Promise<Changes>;
}

/** Reads the task afresh for each iteration. */
export interface PromptSource {
  read(): Promise<string>;
}

/** Commands that arrive from outside the process. */
export interface CommandBus {
  /** Calls back for each command until it is closed; `done` is called once the answer is durable. */
  listen(receive: (command: LoopCommand, done: () => void) => void): Disposable;
}

/** All that a runner needs from the world. */
export interface RunnerPorts {
  readonly store: LoopStore;
  readonly clock: Clock;
  readonly agent: AgentPort;
  readonly gate: GatePort;
  readonly workspace: WorkspacePort;
  readonly prompt: PromptSource;
  readonly commands: CommandBus;
}
