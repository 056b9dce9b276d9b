import type { AgentAdapter } from '../_shared/adapter.ts';
import { readPlainText } from '../_shared/plain-text.ts';

/** The scripted agent of `ralphd demo`: a real process that needs no account and no network. */
export function createDemoAgent(program: readonly string[]): AgentAdapter {
  return {
    name: 'demo',
    reports: { tokens: false, cost: false, context: false },
    binary: () => program[0],
    launch: () => ({ command: program, env: {}, secrets: [], stopSignal: 'SIGTERM' }),
    read: readPlainText,
  };
}
