import { type AgentAdapter, agentNamed, createDemoAgent } from '../agents/index.ts';
import { failures, LoopError } from '../base/index.ts';
import { findExecutable, findUnusable } from '../process/index.ts';
import { type LoopConfig, limits, type SenderFace } from '../protocol/index.ts';

/** What the use cases are given from outside: nothing in here reads the process's own environment. */
export interface AppContext {
  /** The folder a relative path starts from. */
  readonly cwd: string;
  /** The environment of the agent, the checks and the hooks. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How commands of this process are signed; as those of a program when left out. */
  readonly face?: SenderFace;
  /** The program that plays the agent of the demo; without it there is no such agent. */
  readonly demoProgram?: readonly string[];
}

/** The adapter of the agent that a loop is configured for. */
export function adapterFor(config: LoopConfig, { demoProgram }: AppContext): AgentAdapter {
  if (config.agent !== 'demo') return agentNamed(config.agent);
  if (demoProgram !== undefined) return createDemoAgent(demoProgram);
  throw new LoopError(failures.notAvailableYet('The agent "demo" in a library'));
}

/** The program of an agent: what a variable such as `RALPHD_CLAUDE_BINARY` names, else what the settings do. */
export function programOf(adapter: AgentAdapter, config: LoopConfig, env: NodeJS.ProcessEnv): string | undefined {
  return env[`RALPHD_${adapter.name.toUpperCase()}_BINARY`] || adapter.binary(config);
}

/** Refuses an agent whose program is not there, before anything is created. */
export function assertAgentIsThere(
  adapter: AgentAdapter,
  config: LoopConfig,
  place: { readonly workingDirectory: string; readonly env: NodeJS.ProcessEnv },
): void {
  const binary = programOf(adapter, config, place.env);
  if (binary === undefined) return;
  const searchPath = place.env['PATH'] ?? '';
  const search = { PATH: searchPath, cwd: place.workingDirectory };
  const found = findExecutable(binary, search);
  if (found !== undefined) {
    // What it refuses to do is known before it is started.
    adapter.launch({ config, program: found, env: place.env, isRoot: isRoot(), session: 'fresh' });
    return;
  }
  const unusable = findUnusable(binary, search);
  if (unusable !== undefined) throw new LoopError(failures.agentNotExecutable(unusable.path, unusable.kind));
  const searched = binary.includes('/') ? place.workingDirectory : searchPath || 'an empty PATH';
  throw new LoopError(failures.agentNotFound(binary, searched));
}

/** Whether agents would run as root. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Refuses a budget that this agent gives no numbers for: it would read as 0 for ever. */
export function assertBudgetsMeasurable(adapter: AgentAdapter, config: LoopConfig): void {
  for (const { setting, reported } of limits) {
    if (reported === undefined || config[setting] === undefined || adapter.reports[reported.by]) continue;
    throw new LoopError(failures.budgetNotMeasurable(setting, adapter.name));
  }
}
