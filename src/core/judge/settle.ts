import type { Fact, FactData, FailureClass, StopReason } from '../../protocol/index.ts';
import { evolve } from '../loop/evolve.ts';
import type { CurrentAttempt, Execution, Loop } from '../loop/loop.ts';
import { classify, describeEnding, wasTimedOut } from './classify.ts';
import { firstMatch } from './patterns.ts';
import { judgeProgress } from './progress.ts';
import { trippedRule } from './stop-rules.ts';
import { delayOverAt, freeRetries, limitOverAt, retryAt } from './waiting.ts';

/** When a decision is made, and how much running time is to be accounted for with it. */
export interface Moment {
  readonly nowMs: number;
  readonly elapsedMs: number;
}

/** Whether ralphd has to run the checks before this attempt can be judged. */
export function needsGate(loop: Loop, execution: Execution): boolean {
  if (loop.checks.length === 0) return false;
  const blame = classify(execution.outcome, execution.ending);
  if (blame === 'limit' || blame === 'environment' || blame === 'configuration') return false;
  return execution.claimed || loop.config.completionPromise === null;
}

/** Ends an attempt that has run: what it came to, what it costs, and what that leads to. */
export function settle(loop: Loop, current: CurrentAttempt, moment: Moment): readonly Fact[] {
  const { execution } = current;
  if (loop.requests.skip) return [finished(loop, current, { status: 'skipped', moment })];
  if (execution === undefined) return [interrupted(current, 'request', { message: 'ended before it ran', moment })];
  if (execution.ending.kind === 'stopped' && execution.ending.by === 'request') {
    return [interrupted(current, 'request', { message: 'ended on request', moment })];
  }
  const blame = classify(execution.outcome, execution.ending);
  return free(loop, current, { blame, moment }) ?? counted(loop, current, { blame, moment });
}

interface Judgement {
  readonly blame: FailureClass | undefined;
  readonly moment: Moment;
}

/** Failures that cost no iteration: wait, pause, or try again a bounded number of times. */
function free(loop: Loop, current: CurrentAttempt, { blame, moment }: Judgement): readonly Fact[] | undefined {
  const { execution, gate } = current;
  if (execution === undefined || blame === undefined || blame === 'agent') return undefined;
  if (gate?.verdict === 'passed') return undefined;
  const message = failureMessage(execution);
  const over = interrupted(current, blame, { message, moment });
  switch (blame) {
    case 'limit': {
      if (loop.config.onProviderLimit === 'stop') return [over, paused('provider_limit', message)];
      return [over, wait('limit', limitOverAt(loop, execution, moment.nowMs), message)];
    }
    case 'configuration':
      return [over, paused('configuration', message)];
    case 'environment': {
      if (loop.retries.environment >= freeRetries.environment) return [over, paused('environment', message)];
      return [over, wait('environment', retryAt(loop.retries.environment, moment.nowMs), message)];
    }
    case 'unknown': {
      if (loop.retries.unknown >= freeRetries.unknown) return undefined;
      return [over, wait('unknown', retryAt(loop.retries.unknown, moment.nowMs), message)];
    }
  }
}

/** An iteration that counts. Its result comes first: no limit is looked at before completion. */
function counted(loop: Loop, current: CurrentAttempt, { blame, moment }: Judgement): readonly Fact[] {
  const { execution, gate } = current;
  const timedOut = execution !== undefined && blame !== undefined && wasTimedOut(execution.ending);
  const failedStatus = timedOut ? 'timed_out' : 'failed';
  const over = finished(loop, current, { status: blame === undefined ? 'completed' : failedStatus, blame, moment });
  if (gate?.verdict === 'passed') return [over, { type: 'loop.completing', data: { verified: true } }];
  const trusted = loop.config.trustPromise && loop.checks.length === 0;
  if (trusted && blame === undefined && execution?.claimed === true) {
    return [over, { type: 'loop.completing', data: { verified: false } }];
  }
  const after = evolve(loop, { ...over, seq: loop.seq, at: new Date(moment.nowMs).toISOString(), epoch: loop.epoch });
  if (trippedRule(after) !== undefined || loop.config.iterationDelay === 0) return [over];
  return [over, wait('delay', delayOverAt(loop.config, moment.nowMs), 'pause between two iterations')];
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
): Fact & { type: 'iteration.finished' } {
  const { execution, iteration, attempt } = current;
  const message = blame === undefined || execution === undefined ? undefined : failureMessage(execution);
  const matched = message === undefined ? undefined : firstMatch(loop.config.stopConditions.stopOnPatterns, message);
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
      durationMs: (execution?.durationMs ?? 0) + (current.gate?.durationMs ?? 0),
      elapsedMs: moment.elapsedMs,
    },
  };
}

function interrupted(
  { iteration, attempt }: CurrentAttempt,
  cause: FactData<'iteration.interrupted'>['cause'],
  { message, moment }: { readonly message: string; readonly moment: Moment },
): Fact {
  return { type: 'iteration.interrupted', data: { iteration, attempt, cause, message, elapsedMs: moment.elapsedMs } };
}

function paused(reason: StopReason, message: string): Fact {
  return { type: 'loop.paused', data: { reason, message, elapsedMs: 0 } };
}

function wait(cause: FactData<'wait.scheduled'>['cause'], untilMs: number, message: string): Fact {
  return { type: 'wait.scheduled', data: { until: new Date(untilMs).toISOString(), cause, message } };
}

function failureMessage({ error, ending }: Execution): string {
  return error ?? `The agent ${describeEnding(ending)}.`;
}

/** Two errors with the same signature are the same error: numbers and identifiers in it do not matter. */
function signatureOf(message: string): string {
  return message
    .toLowerCase()
    .replace(/[0-9a-f]{8,}|\d+/gu, '#')
    .replace(/\s+/gu, ' ')
    .slice(0, 200);
}
