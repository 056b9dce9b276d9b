/**
 * The names that ralphd gives to spans, attributes and metrics. Those that begin with `gen_ai` are of OpenTelemetry's
 * conventions for generative AI as of 1.45, which are still in development; the others are ralphd's own.
 */
export const names = {
  scope: 'ralphd',
  loopSpan: 'ralphd.loop',
  iterationSpan: 'ralphd.iteration',
  gateSpan: 'ralphd.gate',
  agentOperation: 'invoke_agent',
  tokenUsage: 'gen_ai.client.token.usage',
  operationDuration: 'gen_ai.client.operation.duration',
} as const;

/** The upper bounds that the conventions ask for, and some more for durations: agents take longer than single answers. */
export const tokenBounds: readonly number[] = Array.from({ length: 14 }, (_, power) => 4 ** power);
/** In seconds. */
export const durationBounds: readonly number[] = Array.from({ length: 20 }, (_, power) => 2 ** power / 100);

const providers: Readonly<Record<string, string>> = {
  claude: 'anthropic',
  codex: 'openai',
  gemini: 'gcp.gemini',
};

/** Who provides the models of an agent; undefined for agents that use those of any provider. */
export function providerOf(agent: string): string | undefined {
  return Object.hasOwn(providers, agent) ? providers[agent] : undefined;
}
