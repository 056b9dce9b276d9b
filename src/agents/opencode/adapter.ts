import type { AgentAdapter } from '../_shared/adapter.ts';
import { createReader } from '../_shared/reader.ts';
import { createOpenCodeDialect } from './dialect.ts';
import { opencodeHome } from './home.ts';
import { launchOpencode } from './launch.ts';
import { opencodeSignIn } from './sign-in.ts';

/** OpenCode. */
export const opencodeAgent: AgentAdapter = {
  name: 'opencode',
  reports: { tokens: true, cost: true, tools: true, requests: true, context: false, reset: true },
  streams: true,
  stopSignal: 'SIGTERM',
  tried: ['1.18.33', '1.19.0'],
  setup: { install: 'npm install -g opencode-ai', signIn: 'opencode auth login' },
  binary: ({ agents }) => agents.opencode.command,
  launch: launchOpencode,
  signIn: opencodeSignIn,
  home: opencodeHome,
  createReader: () => createReader(createOpenCodeDialect()),
};
