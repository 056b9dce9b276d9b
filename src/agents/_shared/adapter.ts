import type { LoopConfig } from '../../protocol/index.ts';
import type { AgentHome } from './home.ts';
import type { AgentReader } from './reader.ts';
import type { SignIn } from './sign-in.ts';

/** What an adapter has to know to start its agent. */
export interface LaunchRequest {
  readonly config: LoopConfig;
  /** The agent's program, as the user or the machine names it. */
  readonly program: string;
  /** The caller's environment. */
  readonly env: NodeJS.ProcessEnv;
  /** Whether the agent would run as root, which some refuse. */
  readonly isRoot: boolean;
  readonly session: 'fresh' | 'continue';
  readonly sessionId?: string;
}

/** How an agent is started. The prompt always comes on standard input. */
export interface AgentLaunch {
  /** A shell line of the user's own, or a program with its arguments. */
  readonly command: string | readonly string[];
  /** Variables that the program needs beyond those that every agent gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Secrets in the caller's environment that are meant for this agent. */
  readonly secrets: readonly string[];
}

/** What an agent can report about itself; a limit on anything else cannot be enforced and is refused. */
export interface AgentReports {
  readonly tokens: boolean;
  readonly cost: boolean;
  /** Each use of a tool. */
  readonly tools: boolean;
  /** Each request to the model. */
  readonly requests: boolean;
  /** How full its context is. */
  readonly context: boolean;
  /** When a provider's limit is over. */
  readonly reset: boolean;
}

/** What a reader needs when an agent names a time of day; for a recorded run, that of the recording. */
export interface ReaderClock {
  readonly now?: () => Date;
}

/** The versions that an adapter was tried with: from the first, up to but without the second. */
export type TriedVersions = readonly [from: string, below: string];

/** The commands that install an agent and sign it in. */
export interface AgentSetup {
  readonly install: string;
  readonly signIn: string;
}

/** One agent: its command line, and what its output means. */
export interface AgentAdapter {
  readonly name: string;
  readonly reports: AgentReports;
  /** Whether it prints events as it works, so that silence at the start means that it hangs. */
  readonly streams: boolean;
  /** Whether its program can take a temperature and a seed, which it gets in its environment. */
  readonly takesSeed?: true;
  /** The signal that asks this agent to shut down cleanly. */
  readonly stopSignal: NodeJS.Signals;
  /** Missing for a program that has no versions we could know. */
  readonly tried?: TriedVersions;
  /** The program that must exist before a loop starts; missing for a shell line, which only the shell can resolve. */
  binary(config: LoopConfig): string | undefined;
  launch(request: LaunchRequest): AgentLaunch;
  /** How to get it; missing for a program that nothing is known about. */
  readonly setup?: AgentSetup;
  /** How it is signed in, as far as files and variables show it; missing for a program that nothing is known about. */
  signIn?(env: NodeJS.ProcessEnv): SignIn | undefined;
  /** What it needs in a sandbox; missing for a program that nothing is known about. */
  home?(env: NodeJS.ProcessEnv): AgentHome;
  /** Reads one run. One that does not stream is given the end of what was printed, once it is over. */
  createReader(clock: ReaderClock): AgentReader;
}
