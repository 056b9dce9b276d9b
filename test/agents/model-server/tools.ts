import path from 'node:path';
import type { Wish } from './reply.ts';

/** A call to one of the agent's own tools. */
export interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The same as free text, for tools that do not take JSON. */
  readonly freeform?: string;
}

type Writer = (file: string, content: string) => Readonly<Record<string, unknown>>;

const writers: Readonly<Record<string, Writer>> = {
  Write: (file, content) => ({ file_path: file, content }),
  write_file: (file, content) => ({ file_path: file, content }),
  write: (file, content) => ({ filePath: file, content }),
  apply_patch: (file, content) => ({ input: patchOf(file, content) }),
};

const shells: Readonly<Record<string, (command: string) => Readonly<Record<string, unknown>>>> = {
  Bash: (command) => ({ command, description: 'As the script says' }),
  bash: (command) => ({ command, description: 'As the script says' }),
  run_shell_command: (command) => ({ command, description: 'As the script says', is_background: false }),
  exec_command: (cmd) => ({ cmd }),
  shell_command: (command) => ({ command }),
  shell: (command) => ({ command: ['sh', '-c', command] }),
};

/** The tool call for a request of the model; undefined if no offered tool can do it. */
export function callFor(wish: Wish, tools: readonly string[], folder: string): ToolCall | undefined {
  if (wish.tool === 'shell') return shellCall(wish.command, tools, wish.inBackground);
  // Never a guess: an agent with full permissions writes wherever the path points.
  const file = path.join(folder, wish.path);
  const name = Object.keys(writers).find((known) => tools.includes(known));
  const input = name === undefined ? undefined : writers[name]?.(file, wish.content);
  if (name === undefined || input === undefined) {
    return shellCall(`printf '%s' '${wish.content}' > '${file}'`, tools);
  }
  return { name, input, ...(name === 'apply_patch' ? { freeform: patchOf(file, wish.content) } : {}) };
}

function shellCall(command: string, tools: readonly string[], inBackground = false): ToolCall | undefined {
  const name = Object.keys(shells).find((known) => tools.includes(known));
  const input = name === undefined ? undefined : shells[name]?.(command);
  if (name === undefined || input === undefined) return undefined;
  return { name, input: inBackground ? { ...input, run_in_background: true } : input };
}

function patchOf(file: string, content: string): string {
  const added = content.trimEnd().split('\n');
  return ['*** Begin Patch', `*** Add File: ${file}`, ...added.map((line) => `+${line}`), '*** End Patch', ''].join(
    '\n',
  );
}
