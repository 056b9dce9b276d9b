import type { AgentEvent, Tokens } from '../_shared/event.ts';
import { asCount, asObject, asObjects, asText, type Json, known } from '../_shared/json.ts';

type Events = readonly AgentEvent[];

/** How full the context is, and what the whole session has cost, as a `usage_update` reports it. */
export function readUsageUpdate(update: Json): Events {
  const context = known({ used: asCount(update['used']), size: asCount(update['size']) });
  const cost = asObject(update['cost']) ?? {};
  const usd = cost['currency'] === 'USD' ? asCount(cost['amount']) : undefined;
  return [
    ...(Object.keys(context).length === 0 ? [] : [{ type: 'context', ...context } as const]),
    ...(usd === undefined ? [] : [{ type: 'cost', usd, scope: { of: 'session' } } as const]),
  ];
}

/** The tokens of a finished turn: in the protocol's own field, else where Gemini puts them. */
export function readTurnUsage(result: Json): Events {
  const usage = asObject(result['usage']);
  const tokens = usage === undefined ? quotaTokens(asObject(quotaOf(result)['token_count']) ?? {}) : tokensOf(usage);
  return Object.keys(tokens).length === 0 ? [] : [{ type: 'usage', usage: tokens, scope: { of: 'run' } }];
}

/** The model that did the work of a turn, where there was only one. */
export function modelOfTurn(result: Json): string | undefined {
  const models = asObjects(quotaOf(result)['model_usage']);
  return models.length === 1 ? asText(models[0]?.['model']) : undefined;
}

function quotaOf(result: Json): Json {
  return asObject(asObject(result['_meta'])?.['quota']) ?? {};
}

function quotaTokens(count: Json): Tokens {
  return known({ inputTokens: asCount(count['input_tokens']), outputTokens: asCount(count['output_tokens']) });
}

/**
 * Agents disagree on whether the input includes cached tokens, and whether the output includes the thoughts. Their
 * total is the sum of the parts that are counted separately, so it decides.
 */
function tokensOf(usage: Json): Tokens {
  const [input, output] = [asCount(usage['inputTokens']), asCount(usage['outputTokens'])];
  const [read, written] = [asCount(usage['cachedReadTokens']), asCount(usage['cachedWriteTokens'])];
  const thoughts = asCount(usage['thoughtTokens']) ?? 0;
  const cached = (read ?? 0) + (written ?? 0);
  const rest = (asCount(usage['totalTokens']) ?? Number.NaN) - (input ?? 0) - (output ?? 0);
  const isCacheApart = rest === cached || rest === cached + thoughts;
  const isCacheInside = !isCacheApart && (rest === 0 || rest === thoughts);
  const isThoughtApart = rest !== cached && (rest === cached + thoughts || rest === thoughts);
  return known({
    inputTokens: input !== undefined && isCacheInside ? Math.max(0, input - cached) : input,
    outputTokens: output !== undefined && isThoughtApart ? output + thoughts : output,
    cacheReadTokens: read,
    cacheWriteTokens: written,
  });
}
