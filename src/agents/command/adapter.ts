import { failures, LoopError } from '../../base/index.ts';
import type { LoopConfig } from '../../protocol/index.ts';
import type { AgentAdapter } from '../_shared/adapter.ts';
import { createPlainReader } from '../_shared/plain-text.ts';

/** Any program that reads a prompt on standard input and prints text. */
export const commandAgent: AgentAdapter = {
  name: 'command',
  reports: { tokens: false, cost: false, tools: false, requests: false, context: false, reset: false },
  streams: false,
  takesSeed: true,
  stopSignal: 'SIGTERM',
  binary: (config) => {
    const command = commandOf(config);
    if (typeof command !== 'string') return command[0];
    const [word] = /^[\w./+@%-]+(?=\s|$)/u.exec(command.trim()) ?? [];
    // The first word of a longer line may be one that only the shell knows, unless it is a path.
    return word === command.trim() || word?.includes('/') ? word : undefined;
  },
  launch: ({ config }) => ({
    command: withArguments(commandOf(config), config.agentArgs),
    env: {},
    // The user chose the program and its environment: nothing is withheld from it.
    secrets: ['*'],
  }),
  createReader: createPlainReader,
};

function commandOf(config: LoopConfig): string | readonly string[] {
  if (config.agentCommand === undefined) throw new LoopError(failures.agentCommandMissing());
  return config.agentCommand;
}

/** Further arguments reach a shell line as its parameters: they are data and never a part of the line. */
function withArguments(command: string | readonly string[], args: readonly string[]): string | readonly string[] {
  if (args.length === 0) return command;
  return typeof command === 'string' ? ['/bin/sh', '-c', `${command} "$@"`, 'sh', ...args] : [...command, ...args];
}
