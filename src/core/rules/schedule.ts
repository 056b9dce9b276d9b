import {
  type DateRange,
  type MinuteRange,
  parseBlackout,
  parseHours,
  type Schedule,
  weekdays,
} from '../../protocol/index.ts';
import { clockChanges, dayMs, localClock, minuteMs, weekdayOf } from './local-time.ts';

/** A schedule that does not open within this time counts as one that never does. */
const maxDays = 400;

/** Whether an iteration may start at an instant. */
export function isOpen(schedule: Schedule | undefined, atMs: number): boolean {
  return schedule === undefined || isOpenIn(parse(schedule), atMs);
}

/** The first instant from now on at which an iteration may start; undefined if there is none within a year. */
export function nextOpening(schedule: Schedule | undefined, nowMs: number): number | undefined {
  if (schedule === undefined) return nowMs;
  const parsed = parse(schedule);
  if (isOpenIn(parsed, nowMs)) return nowMs;
  const today = Math.floor(parsed.toLocalMs(nowMs) / dayMs);
  for (let day = 0; day <= maxDays; day += 1) {
    // Where clocks change, instants of two neighbouring days may interleave.
    const candidates = [today + day, today + day + 1].flatMap((each) => instantsOf(parsed, each));
    const open = candidates.filter((atMs) => atMs > nowMs && isOpenIn(parsed, atMs));
    if (open.length > 0) return Math.min(...open);
  }
  return undefined;
}

/** When a schedule lets iterations start, in words. */
export function describeSchedule({ hours, days, blackout, timeZone = 'UTC' }: Schedule): string {
  const open = [hours ?? 'all day', ...(days === undefined ? [] : [`on ${days.join(', ')}`])].join(' ');
  const closed = blackout.length === 0 ? '' : `, except ${blackout.join(', ')}`;
  return `${open}${closed} (${timeZone})`;
}

interface ParsedSchedule {
  readonly hours: readonly MinuteRange[];
  readonly days: ReadonlySet<number>;
  readonly closedHours: readonly MinuteRange[];
  readonly closedDates: readonly DateRange[];
  /** The time on a wall clock of the time zone, as if that clock showed UTC. */
  readonly toLocalMs: (atMs: number) => number;
}

const wholeDay: MinuteRange = { from: 0, to: 24 * 60 };

function parse({ hours, days = [...weekdays], blackout, timeZone = 'UTC' }: Schedule): ParsedSchedule {
  const closed = blackout.flatMap((part) => parseBlackout(part) ?? []);
  return {
    hours: (hours === undefined ? undefined : parseHours(hours)) ?? [wholeDay],
    days: new Set(days.map((day) => weekdays.indexOf(day))),
    closedHours: closed.filter((part) => 'from' in part),
    closedDates: closed.filter((part) => 'first' in part),
    toLocalMs: localClock(timeZone),
  };
}

function isOpenIn({ hours, days, closedHours, closedDates, toLocalMs }: ParsedSchedule, atMs: number): boolean {
  const localMs = toLocalMs(atMs);
  const day = Math.floor(localMs / dayMs);
  const minute = Math.floor((localMs - day * dayMs) / minuteMs);
  const date = new Date(localMs).toISOString().slice(0, 10);
  if (closedDates.some(({ first, last }) => first <= date && date <= last)) return false;
  if (closedHours.some((range) => isWithin(range, minute))) return false;
  return hours.some((range) => {
    if (!isWithin(range, minute)) return false;
    // The hours after midnight belong to the day on which an overnight range began.
    const began = range.from > range.to && minute < range.to ? day - 1 : day;
    return days.has(weekdayOf(began));
  });
}

function isWithin({ from, to }: MinuteRange, minute: number): boolean {
  return from < to ? from <= minute && minute < to : minute >= from || minute < to;
}

/** Every instant of a local day at which a schedule may open. */
function instantsOf({ hours, closedHours, toLocalMs }: ParsedSchedule, day: number): readonly number[] {
  const minutes = new Set([0, ...hours.map(({ from }) => from), ...closedHours.map(({ to }) => to)]);
  const changes = clockChanges(toLocalMs, day);
  const shown = [...minutes].flatMap((minute) => {
    const localMs = day * dayMs + minute * minuteMs;
    return [localMs - dayMs, localMs + dayMs].map((nearMs) => localMs - (toLocalMs(nearMs) - nearMs));
  });
  // A time that a clock change leaves out is over as soon as the clock has changed.
  return [...shown, ...changes];
}
