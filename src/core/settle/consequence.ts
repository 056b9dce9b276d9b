import type { Fact, FactData, StopReason } from '../../protocol/index.ts';
import { callAllowedAt, describeCalls } from '../rules/call-rate.ts';
import { describeSchedule, isOpen, nextOpening } from '../rules/schedule.ts';
import { freeRetries, limitOverAt, retryAt } from '../rules/waiting.ts';
import type { Loop } from '../state/loop.ts';
import type { Moment } from './settle.ts';

/** What follows a broken baseline or an attempt: wait and try again, or pause until the cause is fixed. */
export function consequence(loop: Loop, { nowMs }: Moment): Fact | undefined {
  const {
    pending: { owed, retries },
    config,
  } = loop;
  if (owed === undefined || owed.cause === 'delay') return undefined;
  const { cause, message } = owed;
  switch (cause) {
    case 'limit':
      if (config.onProviderLimit === 'stop') return paused('provider_limit', message);
      return wait('limit', limitOverAt(loop, owed.resetAt, nowMs), message);
    case 'hook':
    case 'obstacle':
      return paused('environment', message);
    case 'configuration':
      return paused('configuration', message);
    case 'environment':
      if (retries.environment > freeRetries.environment) return paused('environment', message);
      return wait('environment', retryAt(retries.environment - 1, nowMs), message);
    case 'unknown':
      return wait('unknown', retryAt(retries.unknown - 1, nowMs), message);
  }
}

/** The delay between two iterations, when one is due and configured. */
export function delayBetween({ pending: { owed }, config }: Loop, { nowMs }: Moment): Fact | undefined {
  if (owed?.cause !== 'delay' || config.iterationDelay === 0) return undefined;
  return wait('delay', nowMs + config.iterationDelay, 'pause between two iterations');
}

/** Outside its schedule a loop waits; one that would wait for ever pauses, so that somebody notices. */
export function closedTime({ config: { schedule } }: Loop, { nowMs, elapsedMs }: Moment): Fact | undefined {
  if (schedule === undefined || isOpen(schedule, nowMs)) return undefined;
  const openMs = nextOpening(schedule, nowMs);
  const message = `iterations may start ${describeSchedule(schedule)}`;
  if (openMs === undefined) {
    const why = `The schedule never opens: ${message}. Change "schedule" and reload the settings.`;
    return { type: 'loop.paused', data: { reason: 'configuration', message: why, elapsedMs } };
  }
  const until = new Date(openMs).toISOString();
  return { type: 'wait.scheduled', data: { until, cause: 'schedule', message, elapsedMs } };
}

/** At the hourly bound on API calls a loop waits until another one is allowed. A wait that is over is not repeated. */
export function tooManyCalls(loop: Loop, { nowMs }: Moment): Fact | undefined {
  const allowedMs = loop.pending.wait?.cause === 'rate' ? undefined : callAllowedAt(loop, nowMs);
  return allowedMs === undefined ? undefined : wait('rate', allowedMs, describeCalls(loop, nowMs) ?? '');
}

function paused(reason: StopReason, message: string): Fact {
  return { type: 'loop.paused', data: { reason, message, elapsedMs: 0 } };
}

function wait(cause: FactData<'wait.scheduled'>['cause'], untilMs: number, message: string): Fact {
  return { type: 'wait.scheduled', data: { until: new Date(untilMs).toISOString(), cause, message } };
}
