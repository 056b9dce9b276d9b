import { formatDuration } from '../../base/index.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;

/** How often a time of this size changes on the screen. */
function grainOf(ms: number): number {
  if (ms < minuteMs) return 1_000;
  return ms < hourMs ? 10_000 : minuteMs;
}

/** How long ago something was, or how long it has taken: `4s`, `6m 40s`, `5h 30m`. Ticks by 10 s after a minute. */
export function age(ms: number): string {
  const whole = Math.max(0, ms);
  return formatDuration(whole - (whole % grainOf(whole)));
}

/** How much time is left; never less than there is. */
export function left(ms: number): string {
  const grain = grainOf(Math.max(0, ms));
  return formatDuration(Math.ceil(Math.max(0, ms) / grain) * grain);
}

/** In how many milliseconds a time that is shown will look different. */
export function untilTick(sinceMs: number, nowMs: number): number {
  const distance = nowMs - sinceMs;
  const grain = grainOf(Math.abs(distance));
  const into = ((distance % grain) + grain) % grain;
  return grain - into;
}
