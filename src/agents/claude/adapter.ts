import type { AgentAdapter } from '../_shared/adapter.ts';
import { createReader } from '../_shared/reader.ts';
import { createClaudeDialect } from './dialect.ts';
import { claudeHome } from './home.ts';
import { launchClaude } from './launch.ts';
import { claudeSignIn } from './sign-in.ts';

/** Claude Code. */
export const claudeAgent: AgentAdapter = {
  name: 'claude',
  reports: { tokens: true, cost: true, tools: true, requests: true, context: true, reset: true },
  streams: true,
  // On this signal it ends the commands it runs; on others, not in every version.
  stopSignal: 'SIGINT',
  tried: ['2.1.112', '2.2.0'],
  setup: { install: 'npm install -g @anthropic-ai/claude-code', signIn: 'claude auth login' },
  binary: ({ agents }) => agents.claude.command,
  launch: launchClaude,
  signIn: claudeSignIn,
  home: claudeHome,
  createReader: ({ now = () => new Date() }) => createReader(createClaudeDialect({ now })),
};
