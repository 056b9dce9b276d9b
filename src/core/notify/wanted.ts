import { type ChannelConfig, type NotifyTrigger, parseHours } from '../../protocol/index.ts';
import { isAtLeast, type Notice } from './notices.ts';
import type { OutboxLimits } from './outbox.ts';

/** The trigger under which a channel takes a notice; undefined if it does not want it. */
export function wantedAs(
  { on, minPriority = on === undefined ? 'normal' : 'low' }: Pick<ChannelConfig, 'on' | 'minPriority'>,
  { triggers, priority }: Notice,
): NotifyTrigger | undefined {
  if (!isAtLeast(priority, minPriority)) return undefined;
  return on === undefined ? triggers[0] : triggers.find((trigger) => on.includes(trigger));
}

/** The limits of a channel; quiet hours without a time zone are in the machine's own. */
export function limitsOf(
  { minInterval, maxPerHour, debounce, quietHours, timeZone }: Omit<ChannelConfig, 'type'>,
  machineZone: string,
): OutboxLimits {
  const limits = { minIntervalMs: minInterval, maxPerHour, debounceMs: debounce };
  if (quietHours === undefined || parseHours(quietHours) === undefined) return limits;
  const blackout = quietHours.split(',').map((part) => part.trim());
  return { ...limits, open: { blackout, timeZone: timeZone ?? machineZone } };
}
