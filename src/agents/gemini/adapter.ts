import type { AgentAdapter } from '../_shared/adapter.ts';
import { createReader } from '../_shared/reader.ts';
import { createGeminiDialect } from './dialect.ts';
import { geminiHome } from './home.ts';
import { launchGemini } from './launch.ts';
import { geminiSignIn } from './sign-in.ts';

/** Gemini CLI. */
export const geminiAgent: AgentAdapter = {
  name: 'gemini',
  reports: { tokens: true, cost: false, tools: true, requests: false, context: false, reset: true },
  streams: true,
  stopSignal: 'SIGTERM',
  tried: ['0.61.0', '0.62.0'],
  setup: { install: 'npm install -g @google/gemini-cli', signIn: 'gemini' },
  binary: ({ agents }) => agents.gemini.command,
  launch: launchGemini,
  signIn: geminiSignIn,
  home: geminiHome,
  createReader: () => createReader(createGeminiDialect()),
};
