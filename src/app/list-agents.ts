import {
  type AgentAdapter,
  type AgentReports,
  type AgentSetup,
  agentNamed,
  isTried,
  type SignIn,
  streamingAgents,
  versionIn,
} from '../agents/index.ts';
import { childEnvironment, findExecutable, findUnusable, runToEnd, type Unusable } from '../process/index.ts';
import type { LoopConfig } from '../protocol/index.ts';
import { type AppContext, programOf } from './agent-programs.ts';

/** One agent and its program on this machine. */
export interface ListedAgent {
  readonly agent: string;
  /** Missing if its program is not installed. */
  readonly program?: string;
  /** The name or path by which its program is searched. */
  readonly command: string;
  /** What has its name but cannot be executed, if there is no program. */
  readonly unusable?: Unusable;
  readonly setup?: AgentSetup;
  /** Missing if it does not report one. */
  readonly version?: string;
  /** Whether ralphd was tested with this version. */
  readonly tried: boolean;
  readonly triedVersions: string;
  readonly reports: AgentReports;
  /** Missing if no file or variable shows that it is signed in. */
  readonly signIn?: SignIn;
}

export type { SignIn };

/** How the agent of a loop is signed in, as far as files and variables show it. */
export function signInOf({ agent }: Pick<LoopConfig, 'agent'>, env: NodeJS.ProcessEnv): SignIn | undefined {
  return agent === 'demo' ? undefined : agentNamed(agent).signIn?.(env);
}

/** Every agent with a program of its own, installed or not. */
export async function listAgents(config: LoopConfig, context: AppContext): Promise<readonly ListedAgent[]> {
  return await Promise.all(streamingAgents.map(async (adapter) => await findAgent(adapter, config, { context })));
}

/** A warning about an untested version of an agent; undefined for a tested one. */
export function versionWarning({ agent, version, tried, triedVersions }: ListedAgent): string | undefined {
  if (tried) return undefined;
  const found = version === undefined ? 'does not report its version' : `is version ${version}`;
  return `${agent} ${found}; ralphd was tested with ${triedVersions}. If it misreads the agent, please report it.`;
}

const versionTimeoutMs = 15_000;

/** Warns about an untested version of an agent without delaying the start. */
export function warnOfVersion(
  adapter: AgentAdapter,
  config: LoopConfig,
  { context, report }: { readonly context: AppContext; readonly report: (message: string) => void },
): Disposable {
  const over = new AbortController();
  const warn = async () => {
    const warning = versionWarning(await findAgent(adapter, config, { context, killSignal: over.signal }));
    if (warning !== undefined && !over.signal.aborted) report(warning);
  };
  // A program that cannot report its version fails visibly when it is started.
  if (adapter.tried !== undefined) warn().catch(() => {});
  return { [Symbol.dispose]: () => over.abort() };
}

/** Finds an agent's program and asks it for its version. */
async function findAgent(
  adapter: AgentAdapter,
  config: LoopConfig,
  { context, killSignal }: { readonly context: AppContext; readonly killSignal?: AbortSignal },
): Promise<ListedAgent> {
  const { cwd, env } = context;
  const { name: agent, reports, setup, tried: [from, below] = ['', ''] } = adapter;
  const command = programOf(adapter, config, env) ?? '';
  const known = { agent, command, triedVersions: `${from} to below ${below}`, reports, ...(setup && { setup }) };
  const search = { PATH: env['PATH'], cwd };
  const program = findExecutable(command, search);
  if (program === undefined) {
    const unusable = findUnusable(command, search);
    return { ...known, ...(unusable && { unusable }), tried: false };
  }
  const { output, ending } = await runToEnd({
    command: [program, '--version'],
    cwd,
    env: childEnvironment(env, { agentSecrets: [], extra: { DISABLE_AUTOUPDATER: '1' } }).env,
    timeoutMs: versionTimeoutMs,
    killSignal,
  });
  const version = ending.kind === 'exited' && ending.code === 0 ? versionIn(output) : undefined;
  const signIn = adapter.signIn?.(env);
  const found = { ...known, program, ...(signIn === undefined ? {} : { signIn }) };
  if (version === undefined) return { ...found, tried: false };
  return { ...found, version, tried: isTried(version, [from, below]) };
}
