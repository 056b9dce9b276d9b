import { failures, formatDuration, LoopError, parseDuration } from '../base/index.ts';
import { inTheirWords } from './errors.ts';

/** A duration: a text such as `5s` or `1h 30m`, or milliseconds. */
export type Duration = string | number;

/** A duration in milliseconds; anything else is refused with the name of its setting. */
export function millisecondsOf(duration: Duration, setting: string): number {
  const ms = typeof duration === 'number' ? duration : parseDuration(duration);
  if (ms === undefined || !Number.isSafeInteger(ms) || ms < 0) {
    const wanted = 'a duration such as "5s", or whole milliseconds';
    throw inTheirWords(new LoopError(failures.configBadValue(setting, wanted, JSON.stringify(duration))), {});
  }
  return ms;
}

/** A duration as text. */
export function durationText(duration: Duration, setting: string): string {
  return formatDuration(millisecondsOf(duration, setting));
}
