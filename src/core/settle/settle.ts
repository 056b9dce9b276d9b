import type { Fact, FactData, FailureClass } from '../../protocol/index.ts';
import { judgeProgress } from '../progress/progress.ts';
import { qualityOf } from '../progress/quality.ts';
import { firstMatch } from '../reports/patterns.ts';
import { isOverrun } from '../rules/budget.ts';
import { observableConditions } from '../rules/conditions/entries.ts';
import { errorMatches } from '../rules/conditions/matches.ts';
import { freeRetries } from '../rules/waiting.ts';
import { type CurrentAttempt, type Execution, isProven } from '../state/attempt.ts';
import { spendTime } from '../state/edits.ts';
import type { Loop } from '../state/loop.ts';
import { blameFor } from './blame.ts';
import { classify, failureMessage, wasCut, wasLost, wasTimedOut } from './classify.ts';
import { claimedBy } from './condition-claims.ts';

/** When a decision is made, and how much running time is to be accounted for with it. */
export interface Moment {
  readonly nowMs: number;
  readonly elapsedMs: number;
}

/** Why the gate is to be run: success conditions that are met, because it is due, or, without either, a claim. */
export type GateCause = { readonly conditions?: readonly string[]; readonly isPeriodic?: true };

/** Whether and why ralphd has to run the checks before this attempt can be judged. */
export function causeForGate(loop: Loop, current: CurrentAttempt, { elapsedMs }: Moment): GateCause | undefined {
  const { execution, stage } = current;
  if (execution === undefined || loop.gate.checks.length === 0 || !isConclusive(execution)) return undefined;
  if (execution.claimed || loop.config.completionPromise === null) return {};
  const conditions = claimedBy(loop, current, { elapsedMs, andUntested: true });
  if (conditions.length > 0) return { conditions };
  // The gate has already started: the decision to run it is final, whatever the conditions are now.
  if (stage === 'verifying') return current.isPeriodic === true ? { isPeriodic: true } : {};
  return isDue(loop, current) ? { isPeriodic: true } : undefined;
}

/** Whether the checks are due without a claim. A run that may be tried again for free is not an iteration yet. */
function isDue({ config: { testEvery } }: Loop, { iteration, execution }: CurrentAttempt): boolean {
  if (testEvery === 0 || iteration % testEvery !== 0 || execution === undefined) return false;
  return classify(execution.outcome, execution.ending) !== 'unknown';
}

/** Whether files and scripts have to be checked before this attempt can be judged. */
export function needsObservation(loop: Loop, { execution, stage, isObserved }: CurrentAttempt): boolean {
  if (stage !== 'executed' || isObserved === true || execution === undefined || !isConclusive(execution)) return false;
  return observableConditions(loop.config).length > 0;
}

/** Whether a run allows a judgement of the work: not if it was lost, or failed for reasons outside the agent. */
function isConclusive(execution: Execution): boolean {
  if (wasLost(execution)) return false;
  const blame = classify(execution.outcome, execution.ending);
  return blame !== 'limit' && blame !== 'environment' && blame !== 'configuration';
}

/** Ends an attempt with one fact: its result and whether it counts. What follows from it is decided next. */
export function settle(loop: Loop, current: CurrentAttempt, moment: Moment): Fact {
  const { execution } = current;
  // The first result counts: proven work is not discarded.
  if (loop.commands.requests.skip && !isProven(current)) return finished(loop, current, { status: 'skipped', moment });
  if (execution === undefined) return interrupted(current, ...whyItNeverRan(loop, current, moment));
  if (execution.ending.kind === 'stopped' && execution.ending.by === 'request') {
    return interrupted(current, 'request', { message: 'ended on request', moment });
  }
  if (wasLost(execution)) return interrupted(current, 'runner_lost', { message: failureMessage(execution), moment });
  const blame = blameFor(loop, current);
  if (blame !== undefined && !isProven(current) && isFree(loop, blame)) {
    return interrupted(current, blame, { message: failureMessage(execution), resetAt: execution.resetAt, moment });
  }
  const failed = wasTimedOut(execution.ending) ? 'timed_out' : 'failed';
  return finished(loop, current, { status: blame === undefined ? 'completed' : failed, blame, moment });
}

function whyItNeverRan(
  { signals: { hookStop } }: Loop,
  { hooks }: CurrentAttempt,
  moment: Moment,
): ['request' | 'hook', { readonly message: string; readonly moment: Moment }] {
  if (hookStop !== undefined) return ['hook', { message: `the hook "${hookStop.hook}" asked to stop`, moment }];
  if (hooks?.failure !== undefined) return ['hook', { message: hooks.failure, moment }];
  return ['request', { message: 'ended before it ran', moment }];
}

/** Whether a failure costs no iteration. An unknown one is tried again a bounded number of times. */
function isFree({ pending: { retries } }: Loop, blame: FailureClass): blame is Exclude<FailureClass, 'agent'> {
  return blame === 'unknown' ? retries.unknown < freeRetries.unknown : blame !== 'agent';
}

/** Whether the task is done: proven by the gate, or by a claim that is trusted and a run that did not fail. */
function completion(
  loop: Loop,
  current: CurrentAttempt,
  { blame, moment }: { readonly blame: FailureClass | undefined; readonly moment: Moment },
) {
  const { elapsedMs } = moment;
  if (isOverrun(spendTime(loop, elapsedMs))) return undefined;
  if (isProven(current)) return 'verified';
  if (!loop.config.trustPromise || loop.gate.checks.length > 0 || blame !== undefined) return undefined;
  // The claim of a run that was cut off is not final.
  if (current.execution === undefined || wasCut(current.execution)) return undefined;
  const isClaimed = current.execution.claimed || claimedBy(loop, current, { elapsedMs, andUntested: false }).length > 0;
  return isClaimed ? 'trusted' : undefined;
}

function finished(
  loop: Loop,
  current: CurrentAttempt,
  {
    status,
    blame,
    moment,
  }: {
    readonly status: FactData<'iteration.finished'>['status'];
    readonly blame?: FailureClass | undefined;
    readonly moment: Moment;
  },
): Fact {
  const { execution, iteration, attempt } = current;
  const completes = status === 'skipped' ? undefined : completion(loop, current, { blame, moment });
  const passed = { iteration, limits: loop.config.iteration };
  const message = blame === undefined || execution === undefined ? undefined : failureMessage(execution, passed);
  const matched = message === undefined ? undefined : firstMatch(loop.config.stopConditions.stopOnPatterns, message);
  const met = message === undefined ? [] : errorMatches(loop.config, message);
  return {
    type: 'iteration.finished',
    data: {
      iteration,
      attempt,
      status,
      progress: judgeProgress(loop, current),
      ...(blame === undefined || message === undefined
        ? {}
        : { failure: { class: blame, message, signature: signatureOf(message) } }),
      ...(matched === undefined ? {} : { matchedPattern: matched }),
      ...(met.length === 0 ? {} : { errorMatches: [...met] }),
      ...(completes === undefined ? {} : { completes }),
      ...(status === 'skipped' ? {} : { quality: qualityOf(loop, current, status === 'completed') }),
      durationMs: (execution?.durationMs ?? 0) + (current.gate?.durationMs ?? 0),
      elapsedMs: moment.elapsedMs,
    },
  };
}

function interrupted(
  { iteration, attempt }: CurrentAttempt,
  cause: FactData<'iteration.interrupted'>['cause'],
  {
    message,
    resetAt,
    moment,
  }: { readonly message: string; readonly resetAt?: string | undefined; readonly moment: Moment },
): Fact {
  const reset = resetAt === undefined ? {} : { resetAt };
  const { elapsedMs } = moment;
  return { type: 'iteration.interrupted', data: { iteration, attempt, cause, message, ...reset, elapsedMs } };
}

/** Two errors with the same signature are the same error: numbers and identifiers in it do not matter. */
function signatureOf(message: string): string {
  return message
    .toLowerCase()
    .replace(/[0-9a-f]{8,}|\d+/gu, '#')
    .replace(/\s+/gu, ' ')
    .slice(0, 200);
}
