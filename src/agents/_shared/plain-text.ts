import { tailText } from '../../base/index.ts';
import { createAccountant } from './account.ts';
import type { AgentReader, AgentReading } from './reader.ts';
import { createTestHintReader } from './test-hints.ts';

const maxErrorLength = 2_000;

/** Reads a program that only prints text: its exit is the only evidence. */
export function createPlainReader(): AgentReader {
  const accountant = createAccountant();
  const decoder = new TextDecoder();
  const take = (text: string) => accountant.add({ type: 'text', message: 'all', text, append: true });
  return {
    isOver: false,
    isRetrying: false,
    rejection: undefined,
    used: () => ({}),
    push(chunk) {
      take(decoder.decode(chunk, { stream: true }));
      return [];
    },
    finish({ stderr, ending }) {
      take(decoder.decode());
      const reported = accountant.account();
      const account = { ...reported, ...hintsIn(reported.text) };
      if (ending.kind === 'exited' && ending.code === 0) return { ...account, outcome: 'completed' };
      const message = tailText(stderr.trim(), maxErrorLength);
      return { ...account, outcome: 'unknown', ...(message === '' ? {} : { message }) };
    },
  };
}

/** Such a program does not tell its own words from those of the commands that it runs. */
function hintsIn(text: string): Pick<AgentReading, 'testHints'> {
  const tests = createTestHintReader();
  tests.take(text);
  const testHints = tests.hints();
  return testHints === undefined ? {} : { testHints };
}
