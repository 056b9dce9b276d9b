import { type FactData, mergeHookData } from '../../protocol/index.ts';
import type { AttemptHooks, CurrentAttempt } from './attempt.ts';
import type { Change, Envelope } from './edits.ts';
import { hasRun } from './hooks.ts';
import type { Loop } from './loop.ts';

type HookFact = 'hooks.started' | 'hooks.finished';

/** What each fact about hooks changes. A fact that does not fit the attempt under way changes nothing. */
export const hookChanges: { readonly [Type in HookFact]: Change<Type> } = {
  'hooks.started': (loop, data) => {
    if (!awaits(loop.current, data)) return loop;
    return { ...loop, phase: data.point === 'pre_iteration' ? 'pre_hooks' : 'post_hooks' };
  },
  'hooks.finished': (loop, data, fact) =>
    awaits(loop.current, data) ? finish(loop, loop.current, { data, fact }) : loop,
};

/** Whether an attempt is at this step and its hooks have yet to run. */
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
  return {
    ...loop,
    ...(stop === undefined ? {} : { hookStop: stop }),
    phase: isBefore ? 'executing' : 'post_hooks',
    // No agent is started before these hooks have run: only the owner that saw them through can have started one.
    current: { ...current, ...(isBefore ? { epoch: fact.epoch } : {}), hooks: hooksOf(current, data) },
  };
}

function hooksOf(
  { hooks }: CurrentAttempt,
  { point, results, data, prompt }: FactData<'hooks.finished'>,
): AttemptHooks {
  const broken = results.find(({ ok, fatal }) => !ok && fatal === true);
  const failure = broken && `the hook "${broken.name}" failed: ${broken.error ?? 'it does not say why'}`;
  return {
    ...hooks,
    finished: [...(hooks?.finished ?? []), point],
    data: mergeHookData(hooks?.data, data),
    ...(prompt === undefined ? {} : { prompt }),
    ...(failure === undefined ? {} : { failure }),
  };
}
