import { type AgentAdapter, type AgentReports, isTried, streamingAgents, versionIn } from '../agents/index.ts';
import { childEnvironment, findExecutable, findUnusable, runToEnd } from '../process/index.ts';
import type { LoopConfig } from '../protocol/index.ts';
import { type AppContext, programOf } from './agent-programs.ts';

/** One agent, as it is found on this machine. */
export interface AgentHere {
  readonly agent: string;
  /** Missing when its program is not there. */
  readonly program?: string;
  /** What has its name but cannot be executed, when there is no program. */
  readonly notExecutable?: string;
  /** Missing if it does not report one. */
  readonly version?: string;
  /** Whether ralphd was tried with this version. */
  readonly tried: boolean;
  readonly triedVersions: string;
  readonly reports: AgentReports;
}

/** Every agent that has a program of its own, whether it is here or not. */
export async function agentsHere(config: LoopConfig, context: AppContext): Promise<readonly AgentHere[]> {
  return await Promise.all(streamingAgents.map(async (adapter) => await lookForAgent(adapter, config, { context })));
}

/** A warning for a version of an agent that was never tested; nothing if all is well. */
export function versionWarning({ agent, version, tried, triedVersions }: AgentHere): string | undefined {
  if (tried) return undefined;
  const found = version === undefined ? 'does not say its version' : `is version ${version}`;
  return `${agent} ${found}; ralphd was tried with ${triedVersions}. If it misreads the agent, please report it.`;
}

const versionTimeoutMs = 15_000;

/** Warns of an agent whose version nobody tried, without making anybody wait for it. */
export function warnOfVersion(
  adapter: AgentAdapter,
  config: LoopConfig,
  { context, report }: { readonly context: AppContext; readonly report: (message: string) => void },
): Disposable {
  const over = new AbortController();
  const look = async () => {
    const warning = versionWarning(await lookForAgent(adapter, config, { context, killSignal: over.signal }));
    if (warning !== undefined && !over.signal.aborted) report(warning);
  };
  // A program that cannot be asked reports that itself when it is started.
  if (adapter.tried !== undefined) look().catch(() => {});
  return { [Symbol.dispose]: () => over.abort() };
}

/** Finds an agent's program and asks it for its version. */
async function lookForAgent(
  adapter: AgentAdapter,
  config: LoopConfig,
  { context, killSignal }: { readonly context: AppContext; readonly killSignal?: AbortSignal },
): Promise<AgentHere> {
  const { cwd, env } = context;
  const { name: agent, reports, tried: [from, below] = ['', ''] } = adapter;
  const triedVersions = `${from} to below ${below}`;
  const name = programOf(adapter, config, env) ?? '';
  const search = { PATH: env['PATH'], cwd };
  const program = findExecutable(name, search);
  if (program === undefined) {
    const unusable = findUnusable(name, search);
    return { agent, ...(unusable && { notExecutable: unusable.path }), tried: false, triedVersions, reports };
  }
  const { output, ending } = await runToEnd({
    command: [program, '--version'],
    cwd,
    env: childEnvironment(env, { agentSecrets: [], extra: { DISABLE_AUTOUPDATER: '1' } }).env,
    timeoutMs: versionTimeoutMs,
    killSignal,
  });
  const version = ending.kind === 'exited' && ending.code === 0 ? versionIn(output) : undefined;
  if (version === undefined) return { agent, program, tried: false, triedVersions, reports };
  return { agent, program, version, tried: isTried(version, [from, below]), triedVersions, reports };
}
