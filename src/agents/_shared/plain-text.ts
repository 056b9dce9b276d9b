import { tailText } from '../../base/index.ts';
import { createAccountant } from './account.ts';
import type { AgentReader } from './reader.ts';

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
      const account = accountant.account();
      if (ending.kind === 'exited' && ending.code === 0) return { ...account, outcome: 'completed' };
      const message = tailText(stderr.trim(), maxErrorLength);
      return { ...account, outcome: 'unknown', ...(message === '' ? {} : { message }) };
    },
  };
}
