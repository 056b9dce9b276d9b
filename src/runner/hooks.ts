import { type Action, hookContext } from '../core/index.ts';
import type { Fact } from '../protocol/index.ts';
import type { Effect } from './effect.ts';

/** Runs the hooks of one step. Hooks that are broken off have said nothing: their step is run again or given up. */
export async function runHooks(action: Action & { type: 'hooks' }, effect: Effect): Promise<readonly Fact[]> {
  const { loop, ports, record, signal, kill } = effect;
  const { point, iteration, attempt, hooks, outcome } = action;
  const { current } = loop();
  if (current === undefined) return [];
  record([{ type: 'hooks.started', data: { iteration, attempt, point } }]);
  const run = await ports.hooks.run(
    {
      iteration,
      attempt,
      point,
      hooks,
      context: hookContext(loop(), current, outcome),
      data: current.hooks?.data ?? {},
      isAgain: current.epoch !== loop().epoch,
    },
    { signal, kill },
  );
  return run === undefined ? [] : [{ type: 'hooks.finished', data: { iteration, attempt, point, ...run } }];
}
