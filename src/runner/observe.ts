import { type Action, hookContext, observableConditions } from '../core/index.ts';
import type { Fact } from '../protocol/index.ts';
import type { Effect } from './effect.ts';

/** Observes conditions on files and scripts. An interrupted observation has no result: it is repeated or abandoned. */
export async function observe(
  { iteration, attempt }: Action & { type: 'observe' },
  { loop, ports, signal, kill }: Effect,
): Promise<readonly Fact[]> {
  const {
    position: { current },
    config,
    origin: { startedAt = '' },
    journal: { epoch },
  } = loop();
  if (current === undefined) return [];
  const results = await ports.conditions.observe(
    {
      iteration,
      attempt,
      conditions: observableConditions(config),
      context: hookContext(loop(), current),
      since: startedAt,
      isRepeat: current.epoch !== epoch,
    },
    { signal, kill },
  );
  return results === undefined
    ? []
    : [{ type: 'conditions.observed', data: { iteration, attempt, results: [...results] } }];
}
