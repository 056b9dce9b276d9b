import type { FactData, HookConfig, HookPoint, HookStep, LoopHookStep, Verdict } from '../../protocol/index.ts';
import { firstMatch } from '../reports/patterns.ts';
import { modeOf } from '../rules/asking.ts';
import type { CurrentAttempt } from '../state/attempt.ts';
import type { Loop } from '../state/loop.ts';
import type { LoopEnding } from '../state/loop-hooks.ts';

/** A hook that is due, and the point at which it runs. */
export interface DueHook {
  readonly name: string;
  readonly point: HookPoint;
}

/** The outcome of an iteration, before it is closed. */
export type Outcome = Pick<FactData<'iteration.finished'>, 'status' | 'progress' | 'failure'>;

/** The hooks to run before the agent, in their order; none once they have run. */
export function hooksBefore(loop: Loop, current: CurrentAttempt): readonly DueHook[] {
  if (loop.config.hooks.length === 0 || hasRun(current, 'pre_iteration')) return [];
  const isFresh = loop.session.current?.iterations === 0;
  const reached: readonly HookPoint[] = ['pre_iteration', ...(isFresh ? (['pre_session'] as const) : [])];
  return due(loop, (hook) => (isTurnOf(hook, current) ? reached : []));
}

/** The hooks to run after an iteration was judged, in their order; none if it was skipped. */
export function hooksAfter(loop: Loop, current: CurrentAttempt, outcome: Outcome): readonly DueHook[] {
  if (loop.config.hooks.length === 0 || hasRun(current, 'post_iteration') || outcome.status === 'skipped') return [];
  const { execution, gate } = current;
  const outputs = gate?.checks.map(({ output }) => output) ?? [];
  const texts = [outcome.failure?.message, execution?.summary, ...outputs];
  const result = { status: outcome.status, verdict: gate?.verdict, texts };
  const reached = pointsAfter(loop, current, outcome);
  return due(loop, (hook) => (isTurnOf(hook, current) && fits(hook, result) ? reached : []));
}

/** The hooks to run at the end of a loop, in their order. */
export function hooksAtEnd(loop: Loop, { status, message }: LoopEnding): readonly DueHook[] {
  const reached: readonly HookPoint[] = ['loop_end', ...sessionEnd(continuesSession(loop))];
  const { latest } = loop.verification;
  const result = { status, verdict: latest?.result.verdict, texts: [message] };
  return due(loop, (hook) => (fits(hook, result) ? reached : []));
}

/** The hooks of another step outside of attempts, in their order. */
export function hooksBetween(loop: Loop, step: Exclude<LoopHookStep, 'loop_end'>): readonly DueHook[] {
  const endsSession = step === 'post_reboot' && loop.hooks.rebooted?.endsSession === true;
  return due(loop, () => [step, ...sessionEnd(endsSession)]);
}

/** Whether any hook runs at one of these points. */
export function hasHooksAt({ config }: Loop, ...points: readonly HookPoint[]): boolean {
  return config.hooks.some(({ enabled, at }) => enabled && at.some((point) => points.includes(point)));
}

/** Whether the next iteration would continue the agent's session. */
export function continuesSession({ config, session: { current } }: Loop): boolean {
  return config.session.strategy === 'continue' && current?.id !== undefined && current.iterations > 0;
}

/** Whether the hooks of a step have run in this attempt. */
export function hasRun({ hooks }: CurrentAttempt, step: HookStep): boolean {
  return hooks?.finished.includes(step) === true;
}

function due(loop: Loop, reachedBy: (hook: HookConfig) => readonly HookPoint[]): readonly DueHook[] {
  const mode = modeOf(loop);
  return loop.config.hooks
    .filter(({ enabled, inMode }) => enabled && (inMode === undefined || inMode.includes(mode)))
    .toSorted((left, right) => right.priority - left.priority)
    .flatMap((hook) => {
      const reached = reachedBy(hook);
      const point = hook.at.find((each) => reached.includes(each));
      return point === undefined ? [] : [{ name: hook.name, point }];
    });
}

function isTurnOf({ everyN }: HookConfig, { iteration }: CurrentAttempt): boolean {
  return iteration % everyN === 0;
}

function sessionEnd(isOver: boolean): readonly HookPoint[] {
  return isOver ? ['post_session'] : [];
}

/** Verdicts of checks that ran and did not pass. */
const testFailures: ReadonlySet<Verdict> = new Set(['failed', 'contradicted', 'timed_out']);

/** Every hook point that the end of an iteration reaches. */
function pointsAfter(
  loop: Loop,
  { gate, execution }: CurrentAttempt,
  { status, progress }: Outcome,
): readonly HookPoint[] {
  const points: HookPoint[] = ['post_iteration', ...sessionEnd(!continuesSession(loop))];
  if (progress.made !== null) points.push(progress.made ? 'on_progress' : 'on_no_progress');
  if (testStatus(gate?.verdict) === 'passed') points.push('on_test_success');
  if (testStatus(gate?.verdict) === 'failed') points.push('on_test_failure');
  if (status !== 'completed') points.push('on_error');
  if (execution !== undefined && execution.changes.count > 0) points.push('on_file_change');
  return points;
}

function testStatus(verdict: Verdict | undefined): HookConfig['ifTestStatus'] {
  if (verdict === 'passed') return 'passed';
  return verdict !== undefined && testFailures.has(verdict) ? 'failed' : undefined;
}

/** What the conditions of a hook are compared with. */
interface KnownResult {
  readonly status: string;
  readonly verdict: Verdict | undefined;
  readonly texts: readonly (string | undefined)[];
}

function fits({ ifStatus, ifTestStatus, ifPattern }: HookConfig, { status, verdict, texts }: KnownResult): boolean {
  if (ifStatus !== undefined && !ifStatus.some((each) => each === status)) return false;
  if (ifTestStatus !== undefined && ifTestStatus !== testStatus(verdict)) return false;
  if (ifPattern === undefined) return true;
  return texts.some((text) => text !== undefined && firstMatch([ifPattern], text) !== undefined);
}
