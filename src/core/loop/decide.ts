import type { Fact, HookStep, RebootCause, RuleStanding, StopReason } from '../../protocol/index.ts';
import { proofLevelOf } from '../gate/verdict.ts';
import { durationsIn } from '../rules/conditions/entries.ts';
import { dueReboot, rebootRetryAt } from '../rules/reboots.ts';
import { isOpen } from '../rules/schedule.ts';
import { needsCorrection } from '../rules/spiral.ts';
import { trippedRule } from '../rules/stop-rules.ts';
import { freeRetries, waitLeftMs, waitOverAt } from '../rules/waiting.ts';
import { closedTime, consequence, delayBetween, tooManyCalls } from '../settle/consequence.ts';
import { causeForGate, type GateCause, type Moment, needsObservation, settle } from '../settle/settle.ts';
import type { CurrentAttempt } from '../state/attempt.ts';
import { spendTime } from '../state/edits.ts';
import type { Loop } from '../state/loop.ts';
import type { LoopEnding } from '../state/loop-hooks.ts';
import type { IterationWork } from '../state/supervision.ts';
import { type Asking, answered, askFirst, isAsking, scheduledSwitch, switchedMode } from './decisions.ts';
import { type DueHook, hooksAfter, hooksBefore, type Outcome } from './hooks.ts';
import {
  completionOf,
  endWith,
  hooksOfEnd,
  hooksOfReboot,
  hooksOfSwitch,
  hooksOwed,
  type LoopHooksAction,
} from './loop-hooks.ts';

/** What to do next, as data. Effects are carried out elsewhere and come back as facts. */
export type Action =
  /** Nothing, ever again. */
  | { readonly type: 'none' }
  /** Nothing until a command arrives. */
  | { readonly type: 'rest' }
  /** Write these facts; they follow from the current state. */
  | { readonly type: 'record'; readonly facts: readonly Fact[] }
  /** Take a snapshot of everything that sealed checks need besides the work. */
  | { readonly type: 'prepare' }
  /** Run the gate once before the first iteration. */
  | { readonly type: 'baseline' }
  /** Begin an attempt. */
  | {
      readonly type: 'begin';
      readonly iteration: number;
      readonly attempt: number;
      readonly session: 'fresh' | 'continue';
      readonly sessionId?: string;
      readonly handOff: boolean;
      readonly guidance: readonly string[];
      readonly correction?: 'exploration';
    }
  /** Run hooks before or after the agent; those after it receive the outcome of the iteration. */
  | {
      readonly type: 'hooks';
      readonly point: HookStep;
      readonly iteration: number;
      readonly attempt: number;
      readonly hooks: readonly DueHook[];
      readonly outcome?: Outcome;
    }
  /** Run hooks between two iterations, or at the start or end of the loop. */
  | LoopHooksAction
  /** Prepare the prompt and run the agent of the attempt that has begun. */
  | { readonly type: 'execute'; readonly iteration: number; readonly attempt: number }
  /** An earlier owner's attempt may have left an agent running: end it, and record that. */
  | { readonly type: 'recover'; readonly iteration: number; readonly attempt: number }
  /** Check the files and run the scripts that conditions ask for. */
  | { readonly type: 'observe'; readonly iteration: number; readonly attempt: number }
  /** Run the gate. */
  | ({ readonly type: 'verify'; readonly iteration: number; readonly attempt: number } & GateCause)
  /** Give the agent a fresh session. */
  | { readonly type: 'reboot'; readonly cause: RebootCause }
  /** Wait for an instant; any command ends the wait. `isWhole`: the wait then ends, whatever the clock shows. */
  | { readonly type: 'wait'; readonly until: string; readonly cause: string; readonly isWhole: boolean }
  /** Wait for a person's decision, at most until an instant; any command ends the wait. `wakeAt`: then look again. */
  | { readonly type: 'ask'; readonly until?: string; readonly wakeAt?: string }
  /** Restore the files that an iteration changed, after a backup of the current ones. */
  | { readonly type: 'rollback'; readonly work: IterationWork }
  /** Bookkeeping after completion. */
  | { readonly type: 'finalize' };

/** What should happen next. Reads no clock, no disk, no environment. */
export function decide(loop: Loop, moment: Moment): Action {
  switch (loop.status) {
    case 'idle':
    case 'completed':
    case 'failed':
    case 'aborted':
    case 'crashed':
      return { type: 'none' };
    case 'completing':
      return hooksOfEnd(loop, completionOf(loop)) ?? { type: 'finalize' };
    case 'paused':
      return atRest(loop);
    case 'running':
      if (loop.hooks.ending !== undefined) return atEnd(loop, loop.hooks.ending, moment);
      return loop.position.current === undefined
        ? atBoundary(loop, moment)
        : inside(loop, loop.position.current, moment);
  }
}

/** Whether the effect under way has to be interrupted. */
export function breaksOff({ commands: { requests } }: Loop): boolean {
  return requests.end !== undefined || requests.pause?.now === true || requests.skip === true;
}

/** It is decided how the loop ends: what its last hooks report does not change that. */
function atEnd(loop: Loop, ending: LoopEnding, { elapsedMs }: Moment): Action {
  const ended: Fact = { type: 'loop.ended', data: { ...ending, verified: false, elapsedMs } };
  return hooksOfEnd(loop, ending) ?? record(ended);
}

/** While paused: only requests. */
function atRest(loop: Loop): Action {
  const { requests } = loop.commands;
  // A pause in the middle of an iteration is not its end.
  const isTooEarly = requests.mode?.when === 'iteration' && loop.position.current !== undefined;
  const switched = isTooEarly ? undefined : switchedMode(loop);
  if (requests.end !== undefined)
    return record({ type: 'loop.ended', data: { ...userAbort, verified: false, elapsedMs: 0 } });
  if (switched !== undefined) return record(switched);
  return requests.resume ? record({ type: 'loop.resumed', data: {} }) : { type: 'rest' };
}

/** Between two iterations: first the result, then requests, then the stop rules, then waits, then work. */
function atBoundary(loop: Loop, moment: Moment): Action {
  const {
    commands: { requests },
    config,
    position: { earned },
  } = loop;
  const switched = requests.mode?.when === 'pause' ? undefined : switchedMode(loop);
  if (switched !== undefined) return record(switched);
  const answer = requests.end === undefined && requests.pause === undefined ? answered(loop) : undefined;
  if (answer !== undefined) return record(answer);
  const scheduled = scheduledSwitch(loop, moment.nowMs);
  if (scheduled !== undefined) return record(scheduled);
  if (earned !== undefined) return atCompletion(loop, earned, moment);
  if (requests.end !== undefined) return record(aborted(loop, moment));
  const following = consequence(loop, moment);
  if (following !== undefined) return record(following);
  if (requests.pause !== undefined) return record(paused(requests.pause.reason, pauseMessage(loop), moment));
  const hooks = hooksOwed(loop);
  if (hooks !== undefined) return hooks;
  if (needsEnvironment(loop)) return { type: 'prepare' };
  if (
    config.baseline &&
    loop.gate.checks.length > 0 &&
    loop.verification.baseline === undefined &&
    loop.position.iteration === 0
  ) {
    return { type: 'baseline' };
  }
  const tripped = trippedRule(spendTime(loop, moment.elapsedMs));
  if (tripped !== undefined) return record(...stopped(loop, tripped, moment));
  const delay = isAsking(loop, 'iteration') ? undefined : delayBetween(loop, moment);
  if (delay !== undefined) return record(delay);
  const waiting = waitNow(loop, moment);
  if (waiting !== undefined) return waiting;
  const closed = closedTime(loop, moment);
  if (closed !== undefined) return record(closed);
  const tooMany = tooManyCalls(loop, moment);
  if (tooMany !== undefined) return record(tooMany);
  const { work } = loop.supervision;
  if (requests.rollback && work !== undefined) return { type: 'rollback', work };
  const asking = askFirst(loop, 'iteration', moment);
  if (asking !== undefined) return toAction(asking);
  const reboot = dueReboot(loop, moment.nowMs);
  return reboot === undefined || reboot.heldBy !== undefined ? begin(loop) : rebootOrGiveUp(loop, reboot.cause, moment);
}

/** The task is done: a loop that need not ask is completed, whatever else was requested. */
function atCompletion(loop: Loop, earned: 'verified' | 'trusted', moment: Moment): Action {
  const asking = askFirst(loop, 'completion', moment);
  if (asking === undefined) return record(completing(loop, earned === 'verified'));
  const { requests } = loop.commands;
  if (requests.end !== undefined) return record(aborted(loop, moment));
  if (requests.pause !== undefined) return record(paused(requests.pause.reason, pauseMessage(loop), moment));
  return hooksOfSwitch(loop) ?? toAction(asking);
}

function toAction(asking: Asking): Action {
  return 'record' in asking ? record(asking.record) : { type: 'ask', ...asking.ask };
}

/** Before any agent has run, and when a person has accepted the dependencies as they are now. */
function needsEnvironment({ config, gate: { checks, environment } }: Loop): boolean {
  return config.verifyIn === 'sealed' && checks.length > 0 && environment === undefined;
}

/** The wait under way. Time outside the schedule is no running time, so no bound on that cuts such a wait short. */
function waitNow(loop: Loop, moment: Moment): Action | undefined {
  const { wait } = loop.pending;
  if (wait === undefined || waitLeftMs(loop, moment.nowMs) === 0) return undefined;
  const isScheduled = wait.cause === 'schedule';
  if (isScheduled && isOpen(loop.config.schedule, moment.nowMs)) return undefined;
  const overMs = waitOverAt(wait, moment.nowMs);
  const timeIsUpMs = isScheduled ? Number.POSITIVE_INFINITY : timeIsUpAt(loop, moment);
  const until = new Date(Math.min(overMs, timeIsUpMs)).toISOString();
  return { type: 'wait', until, cause: wait.cause, isWhole: overMs <= timeIsUpMs };
}

/** When the next bound on running time is reached; a wait that is longer ends there, so that it is noticed in time. */
function timeIsUpAt({ config, totals: { runningMs } }: Loop, { nowMs, elapsedMs }: Moment): number {
  const used = runningMs + elapsedMs;
  const left = [config.maxTime ?? Number.POSITIVE_INFINITY, ...durationsIn(config)].map((bound) => bound - used);
  return nowMs + Math.min(...left.filter((ms) => ms > 0));
}

/** Inside an iteration: the stage decides which effect is next; a new owner continues from the same stage. */
function inside(loop: Loop, current: CurrentAttempt, moment: Moment): Action {
  const { iteration, attempt, stage, execution } = current;
  const { requests } = loop.commands;
  switch (stage) {
    case 'begun': {
      const hooks = hooksBefore(loop, current);
      if (hooks.length > 0 && !breaksOff(loop)) {
        return { type: 'hooks', point: 'pre_iteration', iteration, attempt, hooks };
      }
      if (mayNotStart(loop, current)) return record(settle(loop, current, moment));
      if (current.epoch !== loop.journal.epoch) return { type: 'recover', iteration, attempt };
      return breaksOff(loop) ? record(settle(loop, current, moment)) : { type: 'execute', iteration, attempt };
    }
    case 'executing':
      return { type: 'recover', iteration, attempt };
    case 'executed':
    case 'verifying': {
      if (execution === undefined || requests.end !== undefined || requests.skip || wasEndedOnRequest(current)) {
        return close(loop, current, moment);
      }
      const isUnobserved = needsObservation(loop, current);
      const cause = isUnobserved ? undefined : causeForGate(loop, current, moment);
      if (!isUnobserved && cause === undefined) return close(loop, current, moment);
      // The run is paid for: a pause keeps it, and the remaining steps follow after the resume.
      if (requests.pause?.now) return record(paused(requests.pause.reason, pauseMessage(loop), moment));
      if (isUnobserved) return { type: 'observe', iteration, attempt };
      return needsEnvironment(loop) ? { type: 'prepare' } : { type: 'verify', iteration, attempt, ...cause };
    }
    case 'verified':
      return close(loop, current, moment);
  }
}

/** Whether a hook forbade the agent's start: no owner can have started it. */
function mayNotStart({ signals: { hookStop } }: Loop, { hooks }: CurrentAttempt): boolean {
  return hookStop !== undefined || hooks?.failure !== undefined;
}

/** Closes an attempt, once the hooks after it have run. A request to end the loop or to skip waits for no hooks. */
function close(loop: Loop, current: CurrentAttempt, moment: Moment): Action {
  const closing = settle(loop, current, moment);
  const { requests } = loop.commands;
  if (closing.type !== 'iteration.finished' || requests.end !== undefined || requests.skip) return record(closing);
  const { status, progress, failure } = closing.data;
  const outcome = { status, progress, ...(failure === undefined ? {} : { failure }) };
  const hooks = hooksAfter(loop, current, outcome);
  if (hooks.length === 0) return record(closing);
  // The run is paid for: a pause keeps it, and the hooks are run after the resume.
  if (requests.pause?.now) return record(paused(requests.pause.reason, pauseMessage(loop), moment));
  const { iteration, attempt } = current;
  return { type: 'hooks', point: 'post_iteration', iteration, attempt, hooks, outcome };
}

function wasEndedOnRequest({ execution }: CurrentAttempt): boolean {
  return execution?.ending.kind === 'stopped' && execution.ending.by === 'request';
}

function begin(loop: Loop): Action {
  const iteration = loop.position.finished + 1;
  const sessionId = loop.session.current?.id;
  const continues = loop.config.session.strategy === 'continue' && sessionId !== undefined && !loop.session.handOff;
  return {
    type: 'begin',
    iteration,
    attempt: loop.position.iteration === iteration ? loop.position.attempt + 1 : 1,
    session: continues ? 'continue' : 'fresh',
    ...(continues ? { sessionId } : {}),
    handOff: loop.session.handOff,
    guidance: loop.commands.guidance.map(({ id }) => id),
    ...(needsCorrection(loop) ? { correction: 'exploration' } : {}),
  };
}

function rebootOrGiveUp(loop: Loop, cause: RebootCause, moment: Moment): Action {
  const failures = loop.pending.retries.reboot;
  if (failures >= freeRetries.reboot) {
    const message = `The agent could not be given a fresh session ${failures} times in a row.`;
    return record(endWith(loop, { status: 'failed', reason: 'environment', message, elapsedMs: moment.elapsedMs }));
  }
  if (failures > 0 && loop.pending.rebootWaits !== failures) {
    const until = new Date(rebootRetryAt(loop.config, failures, moment.nowMs)).toISOString();
    return record({ type: 'wait.scheduled', data: { until, cause: 'reboot', message: 'the reboot failed' } });
  }
  const cancelled = loop.hooks.reboot?.cancelled;
  if (cancelled !== undefined) {
    return record({ type: 'reboot.finished', data: { cause, ok: false, message: cancelled } });
  }
  return hooksOfReboot(loop, cause) ?? { type: 'reboot', cause };
}

/** The rule's own fact carries the time that reached it: if the owner dies right after it, the rule stays reached. */
function stopped(loop: Loop, standing: RuleStanding, { nowMs, elapsedMs }: Moment): readonly Fact[] {
  const { rule, kind, evidence, key, description } = standing;
  const message = description === undefined ? evidence : `${description} (${evidence})`;
  const condition = key === undefined ? {} : { condition: key };
  const data = { rule, ...condition, message, evidence: [evidence], elapsedMs };
  const triggered: Fact = { type: 'stop_rule.triggered', data };
  if (kind === 'limit' && loop.config.onLimit === 'pause') {
    return [triggered, paused(rule, message, { nowMs, elapsedMs: 0 })];
  }
  return [triggered, endWith(loop, { status: 'failed', reason: rule, message, elapsedMs: 0 })];
}

function completing(loop: Loop, verified: boolean): Fact {
  return { type: 'loop.completing', data: { verified, proof: proofLevelOf(loop, verified) } };
}

const userAbort = { status: 'aborted', reason: 'user_abort', message: 'ended by the user' } as const;

function aborted(loop: Loop, { elapsedMs }: Moment): Fact {
  return endWith(loop, { ...userAbort, elapsedMs });
}

function paused(reason: StopReason, message: string, { elapsedMs }: Moment): Fact {
  return { type: 'loop.paused', data: { reason, message, elapsedMs } };
}

function pauseMessage({ commands: { requests } }: Loop): string {
  const fallback = requests.pause?.reason === 'interrupted' ? 'interrupted by a signal' : 'paused by the user';
  return requests.pause?.message ?? fallback;
}

function record(...facts: readonly Fact[]): Action {
  return { type: 'record', facts };
}
