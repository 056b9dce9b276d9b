/** The length of a minute. */
export const minuteMs = 60_000;
/** The length of a day on which the clocks are not changed. */
export const dayMs = 24 * 60 * minuteMs;

/** Reads the clock on a wall of a time zone, as if that clock showed UTC. */
export type LocalClock = (atMs: number) => number;

/** The clock of a time zone. */
export function localClock(timeZone: string): LocalClock {
  const fields = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
  const clock = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, ...fields, ...clock });
  return (atMs) => {
    const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
    const field = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
    return Date.UTC(field('year'), field('month') - 1, field('day'), field('hour'), field('minute'), field('second'));
  };
}

/** The day of the week, as `Date` numbers it; 1 January 1970 was a Thursday. */
export function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}

/** The first instant at which the clock shows a minute of a local day, or a later one if a change of clocks leaves it out. */
export function instantOf(toLocalMs: LocalClock, day: number, minute: number): number {
  const localMs = day * dayMs + minute * minuteMs;
  const shown = [localMs - dayMs, localMs + dayMs].map((nearMs) => localMs - (toLocalMs(nearMs) - nearMs));
  const candidates = [...shown, ...clockChanges(toLocalMs, day)].filter((atMs) => toLocalMs(atMs) >= localMs);
  return Math.min(...candidates);
}

/** The instants near a local day at which its clocks are changed. */
export function clockChanges(toLocalMs: LocalClock, day: number): readonly number[] {
  const offset = (atMs: number) => toLocalMs(atMs) - atMs;
  let [before, after] = [(day - 1) * dayMs, (day + 2) * dayMs];
  if (offset(before) === offset(after)) return [];
  while (after - before > 1_000) {
    const middle = before + Math.floor((after - before) / 2_000) * 1_000;
    if (offset(middle) === offset(before)) before = middle;
    else after = middle;
  }
  return [after];
}
