import type { AgentAdapter } from '../_shared/adapter.ts';
import { createReader } from '../_shared/reader.ts';
import { createCodexDialect } from './dialect.ts';
import { codexHome } from './home.ts';
import { launchCodex } from './launch.ts';
import { codexSignIn } from './sign-in.ts';

/** Codex. */
export const codexAgent: AgentAdapter = {
  name: 'codex',
  reports: { tokens: true, cost: false, tools: true, requests: false, context: false, reset: true },
  streams: true,
  stopSignal: 'SIGTERM',
  tried: ['0.166.0', '0.167.0'],
  setup: { install: 'npm install -g @openai/codex', signIn: 'codex login' },
  binary: ({ agents }) => agents.codex.command,
  launch: launchCodex,
  signIn: codexSignIn,
  home: codexHome,
  createReader: (clock) => createReader(createCodexDialect(clock)),
};
