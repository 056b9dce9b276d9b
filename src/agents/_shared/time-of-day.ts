/** A time of day, perhaps with a date but never with a year. */
export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
  /** An IANA name such as `Europe/Paris`. */
  readonly zone: string;
  /** January is 1. */
  readonly month?: number;
  readonly day?: number;
}

const dayMs = 86_400_000;

/** The next instant at which the clock shows the time; `undefined` for an unknown zone. */
export function nextTimeOfDay(time: TimeOfDay, now: Date): Date | undefined {
  const offset = offsetMs(time.zone, now);
  if (offset === undefined) return undefined;
  const wall = new Date(now.getTime() + offset);
  const at = (year: number, month: number, day: number): Date => {
    const shown = Date.UTC(year, month, day, time.hour, time.minute);
    return new Date(shown - (offsetMs(time.zone, new Date(shown - offset)) ?? offset));
  };
  const [year, month, day] = [wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()];
  if (time.month !== undefined && time.day !== undefined) {
    const thisYear = at(year, time.month - 1, time.day);
    return thisYear.getTime() > now.getTime() - dayMs ? thisYear : at(year + 1, time.month - 1, time.day);
  }
  const today = at(year, month, day);
  return today > now ? today : at(year, month, day + 1);
}

/** How far a zone's clocks are ahead of UTC. */
function offsetMs(zone: string, instant: Date): number | undefined {
  try {
    const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(
      instant,
    );
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes] = /GMT([+-])(\d+):(\d+)/.exec(name) ?? [];
    const ms = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
    return sign === '-' ? -ms : ms;
  } catch {
    return undefined;
  }
}
