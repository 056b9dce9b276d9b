import type { Fact, FactData, LoopHookStep, RebootCause } from '../../protocol/index.ts';
import { doubtsOf } from '../gate/doubts.ts';
import type { Loop } from '../state/loop.ts';
import type { LoopEnding } from '../state/loop-hooks.ts';
import { type HookContext, loopContext } from './hook-context.ts';
import { type DueHook, hooksAtEnd, hooksBetween } from './hooks.ts';

/** Hooks to run outside of attempts, and what they receive. */
export interface LoopHooksAction {
  readonly type: 'loop_hooks';
  readonly point: LoopHookStep;
  readonly hooks: readonly DueHook[];
  readonly context: HookContext;
}

/** The hooks that have to run before the loop may go on between two iterations. */
export function hooksOwed(loop: Loop): LoopHooksAction | undefined {
  const { hasStarted, rebooted } = loop.hooks;
  const atStart = hasStarted || loop.position.iteration > 0 ? undefined : between(loop, 'loop_start');
  const afterReboot = rebooted && between(loop, 'post_reboot', { reboot: { cause: rebooted.cause } });
  return atStart ?? afterReboot ?? hooksOfSwitch(loop);
}

/** The hooks of a switch of modes that have not run. */
export function hooksOfSwitch(loop: Loop): LoopHooksAction | undefined {
  const { modeSwitch } = loop.hooks;
  if (modeSwitch === undefined) return undefined;
  const { from, to, cause } = modeSwitch;
  return between(loop, 'on_mode_switch', { modeSwitch: { from, to, cause } });
}

/** The hooks that have to run before a reboot; none once they have. */
export function hooksOfReboot(loop: Loop, cause: RebootCause): LoopHooksAction | undefined {
  return loop.hooks.reboot === undefined ? between(loop, 'pre_reboot', { reboot: { cause } }) : undefined;
}

/** The hooks that have to run before a loop ends; none once they have, or for somebody who does not want to wait. */
export function hooksOfEnd(loop: Loop, ending: LoopEnding): LoopHooksAction | undefined {
  const { end, pause } = loop.commands.requests;
  if (loop.hooks.hasEnded || end?.gracefully === false || pause?.now === true) return undefined;
  const { status, reason, message } = ending;
  return action(loop, {
    point: 'loop_end',
    hooks: hooksAtEnd(loop, ending),
    more: { status, end: { reason, message } },
  });
}

/** The end of a loop. If hooks are due, it is recorded first how the loop ends, so that nothing can change it any more. */
export function endWith(loop: Loop, end: FactData<'end.decided'> & { readonly elapsedMs: number }): Fact {
  const { elapsedMs, ...ending } = end;
  if (hooksOfEnd(loop, ending) !== undefined) return { type: 'end.decided', data: ending };
  return { type: 'loop.ended', data: { ...ending, verified: false, elapsedMs } };
}

/** How a completed loop ends. */
export function completionOf(loop: Loop): LoopEnding {
  const wasAlreadyGreen = doubtsOf(loop).some(({ code }) => code === 'already_green');
  const proven = wasAlreadyGreen
    ? 'all checks pass, as they did before the first iteration'
    : 'the task is done, and the checks prove it';
  const message = loop.outcome.verified ? proven : 'the agent claims the task is done; nothing was checked';
  return { status: 'completed', reason: 'completed', message };
}

/** Whether it is decided how the loop ends: nothing but its last hooks runs any more. */
export function isEnding({ status, hooks }: Loop): boolean {
  return status === 'completing' || hooks.ending !== undefined;
}

function between(
  loop: Loop,
  point: Exclude<LoopHookStep, 'loop_end'>,
  more: Partial<HookContext> = {},
): LoopHooksAction | undefined {
  return action(loop, { point, hooks: hooksBetween(loop, point), more });
}

interface Step extends Pick<LoopHooksAction, 'point' | 'hooks'> {
  readonly more: Partial<HookContext>;
}

function action(loop: Loop, { point, hooks, more }: Step): LoopHooksAction | undefined {
  if (hooks.length === 0) return undefined;
  return { type: 'loop_hooks', point, hooks, context: { ...loopContext(loop), ...more } };
}
