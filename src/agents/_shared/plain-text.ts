import { tailText } from '../../base/index.ts';
import type { AgentOutput, AgentReport } from './adapter.ts';

const longestError = 2_000;

/** What a program means that only prints text: its exit is all there is to go by. */
export function readPlainText({ stdout, stderr, ending }: AgentOutput): AgentReport {
  if (ending.kind === 'exited' && ending.code === 0) return { outcome: 'completed', claimText: stdout };
  const error = tailText(stderr.trim(), longestError);
  return { outcome: 'unknown', claimText: stdout, ...(error === '' ? {} : { error }) };
}
