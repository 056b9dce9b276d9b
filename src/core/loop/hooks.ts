import type { FactData, HookConfig, HookPoint, HookStep, Verdict } from '../../protocol/index.ts';
import { firstMatch } from '../reports/patterns.ts';
import type { CurrentAttempt } from '../state/attempt.ts';
import type { Loop } from '../state/loop.ts';

/** A hook that is due, and the point at which it runs. */
export interface DueHook {
  readonly name: string;
  readonly point: HookPoint;
}

/** The outcome of an iteration, before it is closed. */
export type Outcome = Pick<FactData<'iteration.finished'>, 'status' | 'progress' | 'failure'>;

/** The hooks to run before the agent, in their order; none once they have run. */
export function hooksBefore({ config }: Loop, current: CurrentAttempt): readonly DueHook[] {
  if (config.hooks.length === 0 || hasRun(current, 'pre_iteration')) return [];
  return due(config.hooks, current, () => ['pre_iteration']);
}

/** The hooks to run after an iteration was judged, in their order; none if it was skipped. */
export function hooksAfter({ config }: Loop, current: CurrentAttempt, outcome: Outcome): readonly DueHook[] {
  if (config.hooks.length === 0 || hasRun(current, 'post_iteration') || outcome.status === 'skipped') return [];
  const reached = pointsOf(current, outcome);
  return due(config.hooks, current, (hook) => (fits(hook, current, outcome) ? reached : []));
}

/** Whether the hooks of a step have run in this attempt. */
export function hasRun({ hooks }: CurrentAttempt, step: HookStep): boolean {
  return hooks?.finished.includes(step) === true;
}

function due(
  hooks: readonly HookConfig[],
  { iteration }: CurrentAttempt,
  reachedBy: (hook: HookConfig) => readonly HookPoint[],
): readonly DueHook[] {
  return hooks
    .filter(({ enabled, everyN }) => enabled && iteration % everyN === 0)
    .toSorted((left, right) => right.priority - left.priority)
    .flatMap((hook) => {
      const reached = reachedBy(hook);
      const point = hook.at.find((each) => reached.includes(each));
      return point === undefined ? [] : [{ name: hook.name, point }];
    });
}

/** Verdicts of checks that ran and did not pass. */
const testFailures: ReadonlySet<Verdict> = new Set(['failed', 'contradicted', 'timed_out']);

/** Every hook point that the end of an iteration reaches. */
function pointsOf({ gate }: CurrentAttempt, { status, progress }: Outcome): readonly HookPoint[] {
  const points: HookPoint[] = ['post_iteration'];
  if (progress.made !== null) points.push(progress.made ? 'on_progress' : 'on_no_progress');
  if (gate?.verdict === 'passed') points.push('on_test_success');
  if (gate !== undefined && testFailures.has(gate.verdict)) points.push('on_test_failure');
  if (status !== 'completed') points.push('on_error');
  return points;
}

function fits({ ifStatus, ifPattern }: HookConfig, current: CurrentAttempt, { status, failure }: Outcome): boolean {
  if (ifStatus !== undefined && !ifStatus.some((each) => each === status)) return false;
  if (ifPattern === undefined) return true;
  const { execution, gate } = current;
  const texts = [failure?.message, execution?.summary, ...(gate?.checks.map(({ output }) => output) ?? [])];
  return texts.some((text) => text !== undefined && firstMatch([ifPattern], text) !== undefined);
}
