import type { AgentName, KnownAgent } from '../protocol/index.ts';
import type { AgentAdapter } from './_shared/adapter.ts';
import { claudeAgent } from './claude/adapter.ts';
import { codexAgent } from './codex/adapter.ts';
import { commandAgent } from './command/adapter.ts';
import { geminiAgent } from './gemini/adapter.ts';
import { opencodeAgent } from './opencode/adapter.ts';

const adapters: Readonly<Record<KnownAgent, AgentAdapter>> = {
  claude: claudeAgent,
  codex: codexAgent,
  gemini: geminiAgent,
  opencode: opencodeAgent,
};

/** The agents whose streams ralphd understands. */
export const streamingAgents: readonly AgentAdapter[] = Object.values(adapters);

/** The adapter of an agent. The demo's adapter is created from its program. */
export function agentNamed(name: Exclude<AgentName, 'demo'>): AgentAdapter {
  return name === 'command' ? commandAgent : adapters[name];
}
