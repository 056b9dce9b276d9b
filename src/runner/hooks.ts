import { type Action, hookContext } from '../core/index.ts';
import type { Fact } from '../protocol/index.ts';
import type { Effect } from './effect.ts';

/** Runs the hooks of one step. Interrupted hooks have no result: their step is repeated or abandoned. */
export async function runHooks(action: Action & { type: 'hooks' }, effect: Effect): Promise<readonly Fact[]> {
  const { loop, ports, begin, signal, kill } = effect;
  const { point, iteration, attempt, hooks, outcome } = action;
  const { current } = loop().position;
  if (current === undefined) return [];
  if (!(await begin([{ type: 'hooks.started', data: { iteration, attempt, point } }]))) return [];
  const run = await ports.hooks.run(
    {
      iteration,
      attempt,
      point,
      hooks,
      context: hookContext(loop(), current, outcome),
      data: current.hooks?.data ?? {},
      isRepeat: current.epoch !== loop().journal.epoch,
    },
    { signal, kill },
  );
  return run === undefined ? [] : [{ type: 'hooks.finished', data: { iteration, attempt, point, ...run } }];
}
