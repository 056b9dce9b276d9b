import type { AgentEvent, Tokens } from '../_shared/event.ts';
import { asCount, asObject, asText, type Json, known } from '../_shared/json.ts';

/** What a run used, from the sums in its result; several models are added up there already. */
export function usageOfStream(stats: Json): readonly AgentEvent[] {
  const all = asCount(stats['input_tokens']);
  const cached = asCount(stats['cached']);
  return usage({
    input: asCount(stats['input']) ?? (all === undefined ? undefined : Math.max(0, all - (cached ?? 0))),
    output: asCount(stats['output_tokens']),
    cached,
  });
}

/** The same from `--output-format json`, where every model has its own sums. */
export function usageOfDocument(stats: Json): readonly AgentEvent[] {
  const tokens = Object.values(asObject(stats['models']) ?? {}).map((model) => asObject(asObject(model)?.['tokens']));
  const sum = (name: string): number | undefined => {
    const counts = tokens.flatMap((model) => asCount(model?.[name]) ?? []);
    return counts.length === 0 ? undefined : counts.reduce((total, count) => total + count, 0);
  };
  return usage({ input: sum('input'), output: sum('candidates'), cached: sum('cached') });
}

/** The model that did most of the work; on a tie the later one, because a router that only chose it comes first. */
export function modelOf(stats: Json): readonly AgentEvent[] {
  let [name, highest] = ['', -1];
  for (const [model, sums] of Object.entries(asObject(stats['models']) ?? {})) {
    const fields = asObject(sums) ?? {};
    const total = asCount(fields['total_tokens']) ?? asCount(asObject(fields['tokens'])?.['total']) ?? 0;
    if (total >= highest) [name, highest] = [model, total];
  }
  return asText(name) === undefined ? [] : [{ type: 'model', model: name }];
}

interface Counts {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly cached: number | undefined;
}

function usage({ input, output, cached }: Counts): readonly AgentEvent[] {
  const tokens: Tokens = known({ inputTokens: input, outputTokens: output, cacheReadTokens: cached });
  return Object.keys(tokens).length === 0 ? [] : [{ type: 'usage', usage: tokens, scope: { of: 'run' } }];
}
