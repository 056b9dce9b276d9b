import { type FactData, mergeHookData } from '../../protocol/index.ts';
import type { AttemptHooks, CurrentAttempt } from '../state/attempt.ts';
import { type Change, type Envelope, edit } from '../state/edits.ts';
import type { Loop } from '../state/loop.ts';
import { hasRun } from './hooks.ts';

type HookFact = 'hooks.started' | 'hooks.finished';

/** What each fact about hooks changes. A fact that does not belong to the attempt under way changes nothing. */
export const hookChanges: { readonly [Type in HookFact]: Change<Type> } = {
  'hooks.started': (loop, data) => {
    if (!awaits(loop.position.current, data)) return loop;
    return edit(loop, { phase: data.point === 'pre_iteration' ? 'pre_hooks' : 'post_hooks' });
  },
  'hooks.finished': (loop, data, fact) =>
    awaits(loop.position.current, data) ? finish(loop, loop.position.current, { data, fact }) : loop,
};

/** Whether an attempt is at this step and its hooks have not run yet. */
function awaits(
  current: CurrentAttempt | undefined,
  { iteration, attempt, point }: FactData<'hooks.started'>,
): current is CurrentAttempt {
  if (current?.iteration !== iteration || current.attempt !== attempt || hasRun(current, point)) return false;
  const isBefore = current.stage === 'begun';
  return point === 'pre_iteration' ? isBefore : !isBefore && current.stage !== 'executing';
}

function finish(
  loop: Loop,
  current: CurrentAttempt,
  { data, fact }: { readonly data: FactData<'hooks.finished'>; readonly fact: Envelope },
): Loop {
  const { point, stop } = data;
  const isBefore = point === 'pre_iteration';
  const epoch = isBefore ? { epoch: fact.epoch } : {};
  return edit(loop, {
    phase: isBefore ? 'executing' : 'post_hooks',
    signals: { hookStop: stop ?? loop.signals.hookStop },
    position: { current: { ...current, ...epoch, hooks: hooksOf(current, data) } },
  });
}

function hooksOf(
  { hooks }: CurrentAttempt,
  { point, results, data, prompt }: FactData<'hooks.finished'>,
): AttemptHooks {
  const broken = results.find(({ ok, fatal }) => !ok && fatal === true);
  const failure = broken && `the hook "${broken.name}" failed: ${broken.error ?? 'it gave no reason'}`;
  return {
    ...hooks,
    finished: [...(hooks?.finished ?? []), point],
    data: mergeHookData(hooks?.data, data),
    ...(prompt === undefined ? {} : { prompt }),
    ...(failure === undefined ? {} : { failure }),
  };
}
