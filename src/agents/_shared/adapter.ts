import type { AgentOutcome, Ending, LoopConfig, Usage } from '../../protocol/index.ts';

/** What an adapter has to know to start its agent. */
export interface LaunchRequest {
  readonly config: LoopConfig;
  readonly session: 'fresh' | 'continue';
  readonly sessionId?: string;
}

/** How an agent is started. The prompt always comes on standard input. */
export interface AgentLaunch {
  /** A shell line of the user's own, or a program with its arguments. */
  readonly command: string | readonly string[];
  /** What the program looks for in its environment beyond what every agent gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Secrets in the caller's environment that are meant for this agent. */
  readonly secrets: readonly string[];
  /** What asks this agent to end in good order. */
  readonly stopSignal: NodeJS.Signals;
}

/** What a run left behind, as far as it is needed to judge it. */
export interface AgentOutput {
  /** The end of what the agent printed; the whole of it stays on disk. */
  readonly stdout: string;
  readonly stderr: string;
  readonly ending: Ending;
}

/** What a run meant. What the agent did not report is missing, never 0. */
export interface AgentReport {
  readonly outcome: AgentOutcome;
  /** The assistant's final words, where a claim is looked for. */
  readonly claimText: string;
  readonly error?: string;
  readonly resetAt?: string;
  readonly sessionId?: string;
  readonly model?: string;
  readonly usage?: Usage;
}

/** What an agent can tell about itself; a bound on anything else cannot be kept and is refused. */
export interface AgentReports {
  readonly tokens: boolean;
  readonly cost: boolean;
  readonly context: boolean;
}

/** One agent: its command line, and what its output means. */
export interface AgentAdapter {
  readonly name: string;
  readonly reports: AgentReports;
  /** The program that must exist before a loop starts; missing for a shell line, which only the shell can resolve. */
  binary(config: LoopConfig): string | undefined;
  launch(request: LaunchRequest): AgentLaunch;
  read(output: AgentOutput): AgentReport;
}
