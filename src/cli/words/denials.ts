/** The tool calls of one run that were denied. */
export interface DeniedCalls {
  readonly count: number;
  readonly tools: readonly string[];
}

/** Which tool calls were denied, and what allows them; without the agent's name, the setting that fits every agent. */
export function denialText({ count, tools }: DeniedCalls, agent = ''): string {
  const calls = `${count} ${count === 1 ? 'tool call' : 'tool calls'}`;
  const named = tools.length === 0 ? calls : `${calls}: ${tools.join(', ')}`;
  const [tool] = tools;
  const allow = tool === undefined ? undefined : allowing[agent]?.(tool);
  return `${named}; ${allow === undefined ? 'change this with --permissions full' : `allow it with ${allow}, or everything with --permissions full`}`;
}

/** How to allow one tool, by agent. */
const allowing: Readonly<Record<string, (tool: string) => string>> = {
  claude: (tool) => `-- --allowedTools '${tool.replaceAll("'", "'\\''")}'`,
  opencode: (tool) => `iteration.env.OPENCODE_PERMISSION: '{"${tool.replace(/\(.*$/s, '')}":"allow"}' in ralphd.yml`,
};
