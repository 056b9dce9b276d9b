import { type LoopConfig, type Mode, type ModeSwitch, parseTime, weekdays } from '../../protocol/index.ts';
import type { Loop } from '../state/loop.ts';
import { dayMs, instantOf, localClock, weekdayOf } from './local-time.ts';

/** A switch of modes that the schedule has at an instant. */
export interface ScheduledSwitch {
  readonly atMs: number;
  readonly mode: Mode;
}

/** The mode that a loop should have switched to by now; undefined if it is in the right one, or was switched since. */
export function dueSwitch(loop: Loop, mode: Mode, nowMs: number): ScheduledSwitch | undefined {
  const latest = switchesAround(loop.config, nowMs).findLast(({ atMs }) => atMs <= nowMs);
  if (latest === undefined || latest.mode === mode || latest.atMs <= switchedAtMs(loop)) return undefined;
  return latest;
}

/** The next switch to another mode that the schedule has. */
export function nextSwitch({ config }: Pick<Loop, 'config'>, from: Mode, nowMs: number): ScheduledSwitch | undefined {
  return switchesAround(config, nowMs).find(({ atMs, mode }) => atMs > nowMs && mode !== from);
}

/** Since when the mode counts. A loop whose settings name no mode starts in the one that its schedule has. */
function switchedAtMs({ config, origin, supervision }: Loop): number {
  if (supervision.modeSince !== undefined) return Date.parse(supervision.modeSince);
  const isChosen = config.mode !== undefined || config.attended;
  return isChosen ? Date.parse(origin.startedAt ?? '') : Number.NEGATIVE_INFINITY;
}

const daysAround = 8;

/** Every switch of the week before and the week after, in order; of two at the same instant, the later in the list wins. */
function switchesAround({ modeSchedule }: LoopConfig, nowMs: number): readonly ScheduledSwitch[] {
  return modeSchedule.flatMap((each) => instants(each, nowMs)).toSorted((one, other) => one.atMs - other.atMs);
}

function instants({ at, mode, days = [...weekdays], timeZone = 'UTC' }: ModeSwitch, nowMs: number): ScheduledSwitch[] {
  const minute = parseTime(at);
  if (minute === undefined) return [];
  const toLocalMs = localClock(timeZone);
  const today = Math.floor(toLocalMs(nowMs) / dayMs);
  const onDays = new Set(days.map((day) => weekdays.indexOf(day)));
  return Array.from({ length: 2 * daysAround + 1 }, (_, index) => today - daysAround + index)
    .filter((day) => onDays.has(weekdayOf(day)))
    .map((day) => ({ atMs: instantOf(toLocalMs, day, minute), mode }));
}
