import { type Action, hookContext, observableConditions } from '../core/index.ts';
import type { Fact } from '../protocol/index.ts';
import type { Effect } from './effect.ts';

/** Looks at what conditions ask for. A look that is broken off has shown nothing: it is taken again or given up. */
export async function observe(
  { iteration, attempt }: Action & { type: 'observe' },
  { loop, ports, signal, kill }: Effect,
): Promise<readonly Fact[]> {
  const { current, config, startedAt = '', epoch } = loop();
  if (current === undefined) return [];
  const results = await ports.conditions.observe(
    {
      iteration,
      attempt,
      conditions: observableConditions(config),
      context: hookContext(loop(), current),
      since: startedAt,
      isAgain: current.epoch !== epoch,
    },
    { signal, kill },
  );
  return results === undefined
    ? []
    : [{ type: 'conditions.observed', data: { iteration, attempt, results: [...results] } }];
}
