import { failures, LoopError } from '../../base/index.ts';
import type { LoopConfig } from '../../protocol/index.ts';
import type { AgentAdapter } from '../_shared/adapter.ts';
import { readPlainText } from '../_shared/plain-text.ts';

/** Any program that reads a prompt on standard input and prints text. */
export const commandAgent: AgentAdapter = {
  name: 'command',
  reports: { tokens: false, cost: false, context: false },
  binary: (config) => {
    const command = commandOf(config);
    if (typeof command !== 'string') return command[0];
    return /^[\w./+@%~-]+$/u.test(command) ? command : undefined;
  },
  launch: ({ config }) => ({
    command: commandOf(config),
    env: {},
    // The user chose the program and its environment: nothing in it is kept from it.
    secrets: ['*'],
    stopSignal: 'SIGTERM',
  }),
  read: readPlainText,
};

function commandOf(config: LoopConfig): string | readonly string[] {
  if (config.agentCommand === undefined) throw new LoopError(failures.agentCommandMissing());
  return config.agentCommand;
}
