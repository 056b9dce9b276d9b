import type { AgentEvent, Tokens, UsageScope } from '../_shared/event.ts';
import { asCount, asObject, asObjects, asText, type Json, known } from '../_shared/json.ts';

/** The tokens of one message, as far as the provider reported them. */
export function tokensOfMessage(usage: Json): Tokens {
  return known({
    inputTokens: asCount(usage['input_tokens']),
    outputTokens: asCount(usage['output_tokens']),
    cacheReadTokens: asCount(usage['cache_read_input_tokens']),
    cacheWriteTokens: asCount(usage['cache_creation_input_tokens']),
  });
}

/** What the model had to read for a message: all of its context. */
export function contextOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: Tokens): number | undefined {
  if (inputTokens === undefined) return undefined;
  return inputTokens + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
}

/**
 * What a run cost, from its result. The sums per model count every model and every subagent, but those of a resumed
 * session may include earlier runs; newer releases also report what was added since the last result.
 */
export function spentOf(result: Json, seenContext: number): readonly AgentEvent[] {
  const added = asObject(result['model_usage_since_last_result']);
  if (added !== undefined) return spent(sumOfModels(added), sumOfCosts(added), { of: 'run' });
  const run = tokensOfMessage(asObject(result['usage']) ?? {});
  const models = asObject(result['modelUsage']) ?? {};
  const cost = asCount(result['total_cost_usd']);
  if (asObjects(Object.values(models)).length === 0) return spent(run, cost, { of: 'run' });
  const whole = sumOfModels(models);
  const isOfRun = (contextOf(whole) ?? 0) <= Math.max(seenContext, contextOf(run) ?? 0);
  return spent(whole, cost, { of: isOfRun ? 'run' : 'session' });
}

/** How much the model can read at once, from its result. */
export function windowOf(result: Json, model: string | undefined): number | undefined {
  const models = Object.entries(asObject(result['modelUsage']) ?? {});
  const named = models.find(([name]) => name === model) ?? models.find(([name]) => bare(name) === bare(model ?? ''));
  const [, only] = named ?? (models.length === 1 ? (models[0] ?? []) : []);
  return asCount(asObject(only)?.['contextWindow']);
}

/** A model's name without the size of its window: `claude-opus-4-8[1m]` is the same model. */
export function bare(model: string): string {
  return model.replace(/\[.*\]$/, '');
}

/** The model that a message came from; notices of Claude Code itself pretend to be messages. */
export function modelOf(message: Json): string | undefined {
  const model = asText(message['model']);
  return model === '<synthetic>' ? undefined : model;
}

function spent(usage: Tokens, usd: number | undefined, scope: UsageScope): readonly AgentEvent[] {
  return [
    ...(Object.keys(usage).length === 0 ? [] : [{ type: 'usage', usage, scope } as const]),
    ...(usd === undefined ? [] : [{ type: 'cost', usd, scope } as const]),
  ];
}

function sumOfModels(models: Json): Tokens {
  const all = asObjects(Object.values(models));
  const sum = (name: string) => all.reduce((total, model) => total + (asCount(model[name]) ?? 0), 0);
  return {
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    cacheReadTokens: sum('cacheReadInputTokens'),
    cacheWriteTokens: sum('cacheCreationInputTokens'),
  };
}

function sumOfCosts(models: Json): number {
  return asObjects(Object.values(models)).reduce((total, model) => total + (asCount(model['costUSD']) ?? 0), 0);
}
