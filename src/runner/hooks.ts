import { type Action, hookContext, type Loop } from '../core/index.ts';
import { type Fact, type LoopHookStep, mergeHookData } from '../protocol/index.ts';
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
      of: { iteration, attempt },
      point,
      hooks,
      context: hookContext(loop(), current, outcome),
      data: mergeHookData(loop().hooks.data, current.hooks?.data),
      isRepeat: current.epoch !== loop().journal.epoch,
    },
    { signal, kill },
  );
  return run === undefined ? [] : [{ type: 'hooks.finished', data: { iteration, attempt, point, ...run } }];
}

/** Runs the hooks of one step outside of attempts. At the end of a loop, interrupted hooks are not run again. */
export async function runLoopHooks(action: Action & { type: 'loop_hooks' }, effect: Effect): Promise<readonly Fact[]> {
  const { loop, ports, begin, signal, kill, takeElapsedMs } = effect;
  const { type: _type, ...task } = action;
  const { point } = action;
  if (!(await begin([{ type: 'loop_hooks.started', data: { point } }]))) return cutShort(point, effect);
  const { data, steps: step } = loop().hooks;
  const run = await ports.hooks.run({ ...task, step, data, isRepeat: isTakenOver(loop()) }, { signal, kill });
  if (run === undefined) return cutShort(point, effect);
  return [{ type: 'loop_hooks.finished', data: { point, ...run, elapsedMs: takeElapsedMs() } }];
}

function cutShort(point: LoopHookStep, { takeElapsedMs }: Effect): readonly Fact[] {
  if (point !== 'loop_end') return [];
  return [{ type: 'loop_hooks.finished', data: { point, results: [], interrupted: true, elapsedMs: takeElapsedMs() } }];
}

/** An earlier owner may have begun the step. */
function isTakenOver({ journal: { epoch } }: Loop): boolean {
  return epoch > 1;
}
