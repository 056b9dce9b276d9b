import type { AgentAdapter } from '../_shared/adapter.ts';
import { createPlainReader } from '../_shared/plain-text.ts';

/** The scripted agent of `ralphd demo`: a real process that needs no account and no network. */
export function createDemoAgent(program: readonly string[]): AgentAdapter {
  return {
    name: 'demo',
    reports: { tokens: false, cost: false, tools: false, requests: false, context: false, reset: false },
    streams: false,
    stopSignal: 'SIGTERM',
    binary: () => program[0],
    launch: () => ({ command: program, env: {}, secrets: [] }),
    createReader: createPlainReader,
  };
}
