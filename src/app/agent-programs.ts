import { type AgentAdapter, agentNamed, createDemoAgent } from '../agents/index.ts';
import { failures, LoopError } from '../base/index.ts';
import { findExecutable, findUnusable } from '../process/index.ts';
import { type LoopConfig, limits, needsSeed, type SenderFace } from '../protocol/index.ts';
import type { TemplateExtensions } from './template-extensions.ts';

/** What the use cases get from outside; they never read the process's own environment. */
export interface AppContext {
  /** The folder that relative paths start from. */
  readonly cwd: string;
  /** The environment of the agent, the checks and the hooks. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The face named as the sender of this process's commands; by default that of a program. */
  readonly face?: SenderFace;
  /** Rings the bell of the terminal, if there is one. */
  readonly bell?: (() => void) | undefined;
  /** The program that plays the demo agent; without it that agent is not available. */
  readonly demoProgram?: readonly string[];
  /** What the prompts of loops can use besides what every prompt can. */
  readonly templates?: TemplateExtensions | undefined;
}

/** The adapter of the agent that a loop is configured for. */
export function adapterFor(config: LoopConfig, { demoProgram }: AppContext): AgentAdapter {
  if (config.agent !== 'demo') return agentNamed(config.agent);
  if (demoProgram !== undefined) return createDemoAgent(demoProgram);
  throw new LoopError(failures.notAvailableYet('The agent "demo" in a library'));
}

/** The program of an agent: from a variable such as `RALPHD_CLAUDE_BINARY`, otherwise from the settings. */
export function programOf(adapter: AgentAdapter, config: LoopConfig, env: NodeJS.ProcessEnv): string | undefined {
  return env[`RALPHD_${adapter.name.toUpperCase()}_BINARY`] || adapter.binary(config);
}

/** Refuses an agent whose program is missing, before anything is created. */
export function assertAgentInstalled(
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
    // Some agents refuse to run as root, which is known in advance.
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

/** Refuses a budget that this agent reports no numbers for: it would stay at 0 forever. */
export function assertBudgetsMeasurable(adapter: AgentAdapter, config: LoopConfig, inSession = false): void {
  const { apiCallsPerHour, maxMemory } = config.resources;
  const agent = inSession ? `${adapter.name} in a session of its own` : adapter.name;
  if (apiCallsPerHour !== undefined && (inSession || !adapter.reports.requests))
    throw new LoopError(failures.budgetNotMeasurable('resources.apiCallsPerHour', agent));
  if (maxMemory !== undefined && inSession)
    throw new LoopError(failures.budgetNotMeasurable('resources.maxMemory', agent));
  if (config.session.reboot.mode === 'immediate' && (inSession || !adapter.reports.context))
    throw new LoopError(failures.redlineNotMeasurable(agent));
  for (const { setting, reported } of limits) {
    if (reported === undefined || config[setting] === undefined || adapter.reports[reported.by]) continue;
    throw new LoopError(failures.budgetNotMeasurable(setting, adapter.name));
  }
}

/** Refuses an execution mode that this agent cannot keep: a run must not pass for reproducible when it is not. */
export function assertModePossible(adapter: AgentAdapter, config: LoopConfig, inSession = false): void {
  const { executionMode: mode } = config;
  if (mode !== 'default' && inSession) {
    throw new LoopError(
      failures.modeUnsupported(mode, 'the agent works in a session of its own, which ralphd does not record'),
    );
  }
  if (needsSeed(mode) && adapter.takesSeed !== true) {
    const why = `the agent "${adapter.name}" takes neither a temperature nor a seed`;
    throw new LoopError(failures.modeUnsupported(mode, why));
  }
}
