import { clockChanges, dayMs, type LocalClock, minuteMs, weekdayOf } from '../rules/local-time.ts';

/** A calendar rule with five fields, as `cron` has it. */
export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** Whether the hours are "every hour": then it follows the time that passes and not the clock on the wall. */
  readonly isHourly: boolean;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** Whether a day has to match both, because one of them allows every day; otherwise one of them is enough. */
  readonly needsBoth: boolean;
}

interface Field {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly words?: readonly string[];
}

const monthWords = ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const dayWords = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const fields = {
  minute: { name: 'minute', from: 0, to: 59 },
  hour: { name: 'hour', from: 0, to: 23 },
  day: { name: 'day of the month', from: 1, to: 31 },
  month: { name: 'month', from: 1, to: 12, words: monthWords },
  // 7 is Sunday too.
  weekday: { name: 'day of the week', from: 0, to: 7, words: dayWords },
} as const satisfies Record<string, Field>;

const nicknames: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

/** Reads a calendar rule; a text says why it is none. */
export function parseCron(text: string): Cron | string {
  const parts = (nicknames[text.trim().toLowerCase()] ?? text.trim().toLowerCase()).split(/\s+/);
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = parts;
  if (parts.length !== 5) {
    return `a calendar rule has five fields (minute, hour, day, month, day of the week), and this has ${parts.length}`;
  }
  const read = [
    parseField(minute, fields.minute),
    parseField(hour, fields.hour),
    parseField(day, fields.day),
    parseField(month, fields.month),
    parseField(weekday, fields.weekday),
  ];
  const problem = read.find((each) => typeof each === 'string');
  if (problem !== undefined) return problem;
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = read.filter(
    (each) => typeof each !== 'string',
  );
  return {
    minutes,
    hours,
    isHourly: isEvery(hour),
    days: new Set(days),
    months: new Set(months),
    weekdays: new Set(weekdays.map((each) => each % 7)),
    needsBoth: isEvery(day) || isEvery(weekday),
  };
}

function isEvery(field: string): boolean {
  return field.startsWith('*') || field === '?';
}

/** The values of a field, sorted; a text says what is wrong. */
function parseField(text: string, field: Field): readonly number[] | string {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [, first, last, step] = /^(\*|\?|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/(\d{1,2}))?$/.exec(part) ?? [];
    if (first === undefined) return `"${part}" is no value of the field "${field.name}"`;
    const isAll = first === '*' || first === '?';
    const from = isAll ? field.from : valueOf(first, field);
    const open = isAll || step !== undefined ? field.to : from;
    const to = last === undefined ? open : valueOf(last === 'sun' ? '7' : last, field);
    const by = step === undefined ? 1 : Number(step);
    if (from === undefined || to === undefined || by === 0 || from > to || (isAll && last !== undefined)) {
      return `"${part}" is no value of the field "${field.name}", which goes from ${field.from} to ${field.to}`;
    }
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return [...values].toSorted((one, other) => one - other);
}

function valueOf(text: string, { from, to, words }: Field): number | undefined {
  const value = /^\d{1,2}$/.test(text) ? Number(text) : (words?.indexOf(text) ?? -1);
  return from <= value && value <= to ? value : undefined;
}

/** Long enough for 29 February across a year that is no leap year although four divides it. */
const maxDays = 9 * 366;

/**
 * The first instant after another at which a rule is due. A time that a change of clocks leaves out is due when the clocks have
 * changed, and one that comes twice is due the first time; a rule for every hour is due in both hours, and in no hour
 * that is left out. Undefined for a rule that no day fulfils.
 */
export function nextByCron(cron: Cron, clock: LocalClock, afterMs: number): number | undefined {
  const today = Math.floor(clock(afterMs) / dayMs);
  for (let day = today - 1; day <= today + maxDays; day += 1) {
    if (!matchesDay(cron, day)) continue;
    const due = instantsOn(cron, clock, day).filter((atMs) => atMs > afterMs);
    if (due.length > 0) return Math.min(...due);
  }
  return undefined;
}

function matchesDay({ days, months, weekdays, needsBoth }: Cron, day: number): boolean {
  const date = new Date(day * dayMs);
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const [byDate, byWeekday] = [days.has(date.getUTCDate()), weekdays.has(weekdayOf(day))];
  return needsBoth ? byDate && byWeekday : byDate || byWeekday;
}

/** Every instant of a local day at which a rule is due. */
function instantsOn({ hours, minutes, isHourly }: Cron, clock: LocalClock, day: number): readonly number[] {
  const startMs = day * dayMs;
  const [before, after] = [startMs - dayMs, startMs + 2 * dayMs].map((nearMs) => clock(nearMs) - nearMs);
  const [changeMs = Number.POSITIVE_INFINITY] = clockChanges(clock, day);
  const times = hours.flatMap((hour) => minutes.map((minute) => startMs + (hour * 60 + minute) * minuteMs));
  return times.flatMap((localMs) => {
    const [early, late] = [localMs - (before ?? 0), localMs - (after ?? 0)];
    const shown = [...(early < changeMs ? [early] : []), ...(late >= changeMs ? [late] : [])];
    if (isHourly) return shown;
    return [shown[0] ?? changeMs];
  });
}
