/** The agents that ralphd knows by name, which is also the name of their program. */
export const knownAgents = ['claude', 'codex', 'gemini', 'opencode'] as const;
/** One of them. */
export type KnownAgent = (typeof knownAgents)[number];

/** Every agent that a loop can use: those, any command, and the scripted one of the demo. */
export const agentNames = [...knownAgents, 'command', 'demo'] as const;
/** The name of an agent. */
export type AgentName = (typeof agentNames)[number];
