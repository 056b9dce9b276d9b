import type { Mode } from '../modes.ts';

// Without schemas, so that commands that only read loops need not load them.

/** The days of the week, as `Date` numbers them. */
export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
/** One day of the week. */
export type Weekday = (typeof weekdays)[number];

/** When iterations may start. */
export interface Schedule {
  hours?: string | undefined;
  days?: Weekday[] | undefined;
  blackout: string[];
  timeZone?: string | undefined;
}

/** A switch to another mode at a time of the day. */
export interface ModeSwitch {
  at: string;
  mode: Mode;
  days?: Weekday[] | undefined;
  timeZone?: string | undefined;
}

/** Minutes of a day, from one up to but not including the other; a range that ends before it starts runs overnight. */
export interface MinuteRange {
  readonly from: number;
  readonly to: number;
}

/** Dates such as `2026-12-24`, both included. */
export interface DateRange {
  readonly first: string;
  readonly last: string;
}

/** The ranges that a text such as `22:00-07:00` or `09:00-12:00, 13:00-17:00` lists; undefined if it lists none. */
export function parseHours(text: string): readonly MinuteRange[] | undefined {
  const ranges = text.split(',').map((part) => parseRange(part.trim()));
  return ranges.every((range) => range !== undefined) ? ranges : undefined;
}

/** What a black-out such as `12:00-13:00`, `2026-12-24` or `2026-12-24/2027-01-02` covers. */
export function parseBlackout(text: string): MinuteRange | DateRange | undefined {
  return parseRange(text.trim()) ?? parseDates(text.trim());
}

/** The minute of the day that a time such as `22:00` names; undefined if it names none. */
export function parseTime(text: string): number | undefined {
  const minute = /^\d\d?:\d\d$/.test(text) ? parseMinute(text) : undefined;
  return minute === dayMinutes ? undefined : minute;
}

/** Whether a time zone is known here. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const dayMinutes = 24 * 60;

function parseRange(text: string): MinuteRange | undefined {
  const [, from = '', to = ''] = /^(\d\d?:\d\d)\s*-\s*(\d\d?:\d\d)$/.exec(text) ?? [];
  const [start, end] = [parseMinute(from), parseMinute(to)];
  if (start === undefined || end === undefined || start === dayMinutes || start === end) return undefined;
  return { from: start, to: end };
}

function parseMinute(text: string): number | undefined {
  const [hour = Number.NaN, minute = Number.NaN] = text.split(':').map(Number);
  const total = 60 * hour + minute;
  return minute < 60 && total <= dayMinutes ? total : undefined;
}

function parseDates(text: string): DateRange | undefined {
  const [first = '', last = first, ...more] = text.split('/').map((part) => part.trim());
  return more.length === 0 && isDate(first) && isDate(last) && first <= last ? { first, last } : undefined;
}

function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00.000Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
