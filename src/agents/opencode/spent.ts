import type { AgentEvent, Tokens } from '../_shared/event.ts';
import { asCount, asObject, asText, type Json, known } from '../_shared/json.ts';

/** What a step used. Its reasoning tokens are counted separately, but billed like the answer. */
export function spentBy(part: Json): readonly AgentEvent[] {
  const tokens = asObject(part['tokens']) ?? {};
  const cache = asObject(tokens['cache']) ?? {};
  const output = asCount(tokens['output']);
  const usage: Tokens = known({
    inputTokens: asCount(tokens['input']),
    outputTokens: output === undefined ? undefined : output + (asCount(tokens['reasoning']) ?? 0),
    cacheReadTokens: asCount(cache['read']),
    cacheWriteTokens: asCount(cache['write']),
  });
  const usd = asCount(part['cost']);
  const id = asText(part['id']);
  const scope = id === undefined ? ({ of: 'step' } as const) : ({ of: 'message', id } as const);
  const used = contextOf(usage);
  return [
    ...(Object.keys(usage).length === 0 ? [] : [{ type: 'usage', usage, scope } as const]),
    ...(usd === undefined ? [] : [{ type: 'cost', usd, scope } as const]),
    ...(used === 0 ? [] : [{ type: 'context', used } as const]),
  ];
}

/** All that the model had to read for the step. */
function contextOf({ inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 }: Tokens): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}
