import type { Fact, FactData, StopReason } from '../../protocol/index.ts';
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

function paused(reason: StopReason, message: string): Fact {
  return { type: 'loop.paused', data: { reason, message, elapsedMs: 0 } };
}

function wait(cause: FactData<'wait.scheduled'>['cause'], untilMs: number, message: string): Fact {
  return { type: 'wait.scheduled', data: { until: new Date(untilMs).toISOString(), cause, message } };
}
