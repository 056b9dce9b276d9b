import { type FactData, type LoopHookStep, mergeHookData, type Phase } from '../../protocol/index.ts';
import type { AttemptHooks, CurrentAttempt } from '../state/attempt.ts';
import { type Change, type Envelope, edit, type LoopEdit, spendTime } from '../state/edits.ts';
import type { Loop } from '../state/loop.ts';
import type { ModeSwitch } from '../state/loop-hooks.ts';
import { continuesSession, hasHooksAt, hasRun, hooksBetween } from './hooks.ts';
import { isEnding } from './loop-hooks.ts';

type HooksEdit = NonNullable<LoopEdit['hooks']>;

type HookFact = 'hooks.started' | 'hooks.finished' | 'loop_hooks.started' | 'loop_hooks.finished' | 'end.decided';

/** What each fact about hooks changes. A fact that does not belong to the step under way changes nothing. */
export const hookChanges: { readonly [Type in HookFact]: Change<Type> } = {
  'hooks.started': (loop, data) => {
    if (!awaits(loop.position.current, data)) return loop;
    return edit(loop, { phase: data.point === 'pre_iteration' ? 'pre_hooks' : 'post_hooks' });
  },
  'hooks.finished': (loop, data, fact) =>
    awaits(loop.position.current, data) ? finish(loop, loop.position.current, { data, fact }) : loop,
  'loop_hooks.started': (loop, { point }) => {
    if (!isOwed(loop, point)) return loop;
    const { modeSwitch } = loop.hooks;
    const told = point === 'on_mode_switch' && modeSwitch !== undefined;
    return edit(loop, {
      phase: phases[point],
      // The wait before another try at the reboot is over.
      pending: point === 'pre_reboot' ? { wait: undefined } : {},
      hooks: told ? { modeSwitch: { ...modeSwitch, told: modeSwitch.to } } : {},
    });
  },
  'loop_hooks.finished': (loop, data) =>
    spendTime(isOwed(loop, data.point) ? finishStep(loop, data) : loop, data.elapsedMs),
  'end.decided': (loop, ending) => {
    if (loop.status !== 'running' || isEnding(loop)) return loop;
    return edit(loop, {
      phase: 'post_hooks',
      hooks: { ending },
      commands: { requests: {} },
      pending: { wait: undefined, owed: undefined },
      position: { current: undefined },
    });
  },
};

/** The state of the hooks after a switch of modes. */
export function hooksAfterSwitch(loop: Loop, { from, to, cause }: FactData<'mode.changed'>): HooksEdit {
  if (!hasHooksAt(loop, 'on_mode_switch')) return {};
  const { modeSwitch: earlier } = loop.hooks;
  const told = earlier?.told === undefined ? {} : { told: earlier.told };
  // There and back again: the way back is what is reported.
  const whole = earlier === undefined || earlier.from === to ? from : earlier.from;
  return { modeSwitch: { from: whole, to, cause, ...told } };
}

/** The state of the hooks after a reboot. Only one that worked is followed by hooks. */
export function hooksAfterReboot(loop: Loop, { cause, ok }: FactData<'reboot.finished'>): HooksEdit {
  const isFollowed = ok && hasHooksAt(loop, 'post_reboot', 'post_session');
  const endsSession = continuesSession(loop) ? { endsSession: true as const } : {};
  return { reboot: undefined, ...(isFollowed ? { rebooted: { cause, ...endsSession } } : {}) };
}

/** The state of the hooks when an iteration starts. A switch may have come right before it, and its hooks run later. */
export function hooksAtStart(loop: Loop): HooksEdit {
  const { modeSwitch } = loop.hooks;
  const isKept = modeSwitch !== undefined && hooksBetween(loop, 'on_mode_switch').length > 0;
  return { reboot: undefined, rebooted: undefined, modeSwitch: isKept ? modeSwitch : undefined };
}

const phases: Readonly<Record<LoopHookStep, Phase>> = {
  loop_start: 'pre_hooks',
  on_mode_switch: 'pre_hooks',
  pre_reboot: 'rebooting',
  post_reboot: 'rebooting',
  loop_end: 'post_hooks',
};

/** Whether a loop is at this step outside of attempts, and its hooks have not run yet. */
function isOwed(loop: Loop, point: LoopHookStep): boolean {
  const { hooks, status, position } = loop;
  if (point === 'loop_end') return isEnding(loop) && !hooks.hasEnded;
  if (status !== 'running' || isEnding(loop) || position.current !== undefined) return false;
  switch (point) {
    case 'loop_start':
      return !hooks.hasStarted;
    case 'on_mode_switch':
      return hooks.modeSwitch !== undefined;
    case 'pre_reboot':
      return hooks.reboot === undefined;
    case 'post_reboot':
      return hooks.rebooted !== undefined;
  }
}

type StepData = FactData<'loop_hooks.finished'>;

function finishStep(loop: Loop, data: StepData): Loop {
  const { point, stop } = data;
  const { wait, owed } = loop.pending;
  const steps = loop.hooks.steps + 1;
  const hooks = { steps, data: mergeHookData(loop.hooks.data, data.data), ...settled(loop, data) };
  // How the loop ends is decided already.
  if (point === 'loop_end') return edit(loop, { phase: 'finalizing', hooks });
  const message = brokenHook(data);
  return edit(loop, {
    phase: wait === undefined ? 'starting' : 'waiting',
    hooks,
    signals: { hookStop: stop ?? loop.signals.hookStop },
    pending: { owed: message === undefined ? owed : { cause: 'hook', message } },
  });
}

/** What a step leaves to be done. One that prepares something is repeated after a pause that it caused. */
function settled(loop: Loop, data: StepData): HooksEdit {
  const isBroken = brokenHook(data) !== undefined;
  switch (data.point) {
    case 'loop_start':
      return isBroken ? {} : { hasStarted: true };
    case 'loop_end':
      return { hasEnded: true };
    case 'pre_reboot':
      return isBroken ? {} : { reboot: cancelledBy(data) };
    case 'post_reboot':
      return { rebooted: undefined };
    case 'on_mode_switch':
      return { modeSwitch: switchLeft(loop.hooks.modeSwitch) };
  }
}

function cancelledBy({ results }: StepData): { readonly cancelled?: string } {
  const failed = results.find(({ ok }) => !ok);
  return failed === undefined ? {} : { cancelled: describeFailure(failed) };
}

/** Another switch may have come while the hooks ran. */
function switchLeft(modeSwitch: ModeSwitch | undefined): ModeSwitch | undefined {
  if (modeSwitch === undefined) return undefined;
  const { told, to, cause } = modeSwitch;
  return told === undefined || told === to ? undefined : { from: told, to, cause };
}

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

function hooksOf({ hooks }: CurrentAttempt, finished: FactData<'hooks.finished'>): AttemptHooks {
  const { point, data, prompt } = finished;
  const failure = brokenHook(finished);
  return {
    ...hooks,
    finished: [...(hooks?.finished ?? []), point],
    data: mergeHookData(hooks?.data, data),
    ...(prompt === undefined ? {} : { prompt }),
    ...(failure === undefined ? {} : { failure }),
  };
}

type HookResult = StepData['results'][number];

/** Why the loop pauses: a hook failed that must not fail. */
function brokenHook({ results }: { readonly results: readonly HookResult[] }): string | undefined {
  const broken = results.find(({ ok, fatal }) => !ok && fatal === true);
  return broken && describeFailure(broken);
}

function describeFailure({ name, error = 'it gave no reason' }: HookResult): string {
  return `the hook "${name}" failed: ${error}`;
}
