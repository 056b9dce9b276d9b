import type {
  BudgetLeft,
  DueHook,
  GateRun,
  GateTask,
  HookContext,
  Loop,
  LoopCommand,
  ObservableCondition,
  PlacedCondition,
  PromptPart,
  ToldFile,
} from '../core/index.ts';
import type {
  AgentOutcome,
  Changes,
  CheckCommand,
  ConditionResult,
  Ending,
  Fact,
  FactData,
  HookStep,
  JudgedTree,
  ProcessIdentity,
  RecordedFact,
  Usage,
} from '../protocol/index.ts';

/** Where a loop's facts live. A fact that `append` returned is durable. */
export interface LoopStore {
  /** Facts as `append` would write them: what is judged must be what is kept. */
  clean?(facts: readonly Fact[]): readonly Fact[];
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
  /**
   * Resolves at an instant of the wall clock, or earlier when the signal says so or when as much time has passed as
   * there was to wait: a clock that is set back makes no wait longer.
   */
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
  /** What the session had used before, as far as the agent reported its total. */
  readonly sessionUsage?: Usage;
  readonly budget: BudgetLeft;
  readonly onStarted: (process: ProcessIdentity) => void;
}

/** An attempt that an earlier owner began. */
export interface RecoverTask extends AttemptKey, EffectSignals {
  /** The agent's process, as far as it was recorded. */
  readonly process?: ProcessIdentity;
  readonly sessionUsage?: Usage;
  /** Counts from when the run began, except for its time. */
  readonly budget: BudgetLeft;
  /** Whether to go on with an agent that still runs; otherwise it is ended. */
  readonly adopt: boolean;
}

/** What a run of the agent came to, read from its stream. */
export interface AgentRun {
  readonly ending: Ending;
  readonly outcome: AgentOutcome;
  readonly claimText: string;
  /** The assistant's own words of the whole run, or the last of them; never those of a tool. */
  readonly text: string;
  /** What the agent was told, so that an echo of it is not taken for a claim. */
  readonly prompt: string;
  /** It said nothing, used no tool and reported no tokens. */
  readonly empty?: boolean;
  readonly error?: string;
  /** How often it was not allowed to use a tool. */
  readonly permissionDenials?: number;
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
  /** Keeps the prompt of an attempt where the agent and people find it. */
  preparePrompt(key: AttemptKey, prompt: string): void;
  run(task: AgentTask): Promise<AgentRun>;
  /**
   * Goes on with an earlier owner's attempt: adopts its agent if it still runs, takes its result if it has ended.
   * `undefined` when it never started or nobody knows what became of it; then nothing of it is left.
   */
  recover(task: RecoverTask): Promise<AgentRun | undefined>;
}

/** Runs the checks of the gate. */
export interface GatePort {
  /** `undefined` when it was broken off. */
  run(task: GateTask, signals: EffectSignals): Promise<GateRun | undefined>;
  /** Removes what an earlier owner left; once the loop is over, everything that was kept for its gate. */
  tidy?(isOver: boolean): Promise<void>;
  /** Takes a snapshot of everything that sealed checks need besides the work; a text says why it cannot be taken. */
  prepare?(checks: readonly CheckCommand[]): Promise<PreparedGate | string>;
  /** Keeps in mind which files the work tree has before the first agent runs; nothing where they cannot be read. */
  captureStart(): Promise<JudgedTree | undefined>;
}

/** A snapshot for sealed checks. */
export type PreparedGate = Readonly<Omit<FactData<'environment.captured'>, 'elapsedMs' | 'folders'>> & {
  readonly folders: readonly string[];
};

/** The hooks of one step that are to run, and what they are told. */
export interface HookTask extends AttemptKey {
  readonly point: HookStep;
  /** In the order in which they run. */
  readonly hooks: readonly DueHook[];
  readonly context: HookContext;
  /** Values of earlier hooks. */
  readonly data: Readonly<Record<string, string>>;
  /** An earlier owner may have begun with this step: what it left running is ended first. */
  readonly isAgain: boolean;
}

/** What the hooks of one step said. */
export type HooksRun = Omit<FactData<'hooks.finished'>, 'iteration' | 'attempt' | 'point'>;

/** Runs hooks, one after the other. Returns only when nothing they started is left. */
export interface HooksPort {
  /** `undefined` when it was broken off. */
  run(task: HookTask, signals: EffectSignals): Promise<HooksRun | undefined>;
}

/** The conditions that are to be looked at behind an attempt. */
export interface ConditionTask extends AttemptKey {
  readonly conditions: readonly PlacedCondition<ObservableCondition>[];
  /** What scripts are told. */
  readonly context: HookContext;
  /** A signal of a person's counts from then on. */
  readonly since: string;
  /** An earlier owner may have begun with this: what it left running is ended first. */
  readonly isAgain: boolean;
}

/** Looks at files and runs scripts for conditions. Returns only when nothing they started is left. */
export interface ConditionsPort {
  /** `undefined` when it was broken off. */
  observe(task: ConditionTask, signals: EffectSignals): Promise<readonly ConditionResult[] | undefined>;
}

/** Tells what changed in the work tree since it last looked. */
export interface WorkspacePort {
  /**
   * Looks at the work tree before an attempt, and keeps what it saw for an owner that may have to go on with it. Straight
   * behind a run, with nothing done or waited for since `changes`, what that saw will do.
   */
  begin(key: AttemptKey, isStraightBehindRun?: boolean): Promise<void>;
  /** Takes up what an earlier owner saw before an attempt; without it the changes are unknown. */
  restore(key: AttemptKey): Promise<void>;
  changes(): Promise<Changes>;
  /** A text that changes when the work tree does; to ask for it disturbs nothing. */
  signOfLife?(): Promise<string>;
  /** The newest commits, one line each, newest first; none where there are none. */
  recentCommits?(count: number): Promise<readonly string[]>;
  /** Files by name, each with at most so many bytes of it, or why it cannot be told; none outside of the folder. */
  readFiles?(names: readonly string[], mostBytes: number): readonly ToldFile[];
}

/** Reads the task afresh for each iteration. */
export interface PromptSource {
  /** In pieces: only the variables that every prompt has still wait for their values. */
  read(): Promise<readonly PromptPart[]>;
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
  readonly hooks: HooksPort;
  readonly conditions: ConditionsPort;
  readonly workspace: WorkspacePort;
  readonly prompt: PromptSource;
  readonly commands: CommandBus;
  /** Ends the checks, hooks and scripts that a dead owner left running; its agent is adopted or ended elsewhere. */
  readonly endLeftWork: (loop: Loop) => Promise<void>;
}
