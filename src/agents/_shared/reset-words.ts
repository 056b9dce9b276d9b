import { asInstant } from './json.ts';
import { nextTimeOfDay } from './time-of-day.ts';

/** The clock of the machine an agent runs on, for agents that report a reset as a time of day. */
export interface WallClock {
  /** The current time, or the nearest known instant. */
  readonly now: Date | undefined;
  /** An IANA name such as `Europe/Paris`. */
  readonly zone: string;
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const resets =
  /resets?\s+(?:at\s+)?(?:(?<month>[A-Z][a-z]{2})\w*\s+(?<day>\d{1,2})(?:,|\s+at)*\s+)?(?<hour>\d{1,2})(?::(?<minute>\d{2}))?\s*(?:(?<half>[ap])\.?m\.?)?\s*\((?<zone>[\w/+-]+)\)/i;
const epochAfterLimit = /\blimit reached\|(\d{10,13})\b/i;
const tryAgainAt =
  /try again at (?:(?<month>[a-z]{3})[a-z]* (?<day>\d{1,2})[a-z]{2}, \d{4},? )?(?<hour>\d{1,2}):(?<minute>\d{2})\s*(?<half>[ap])m/i;

/** "resets 1am (UTC)": a time of day in a zone that is named, with a day only when it is far away; once, an epoch. */
export function resetInNamedZone(words: string, now: Date | undefined): string | undefined {
  const epoch = epochAfterLimit.exec(words)?.[1];
  return epoch === undefined ? instantOf(resets.exec(words)?.groups, { now, zone: undefined }) : asInstant(epoch);
}

/** "try again at 11:59 PM" is today, where the agent runs; another day comes with its date. */
export function resetOnTheWall(words: string, clock: WallClock): string | undefined {
  return instantOf(tryAgainAt.exec(words)?.groups, clock);
}

/** The instant that an id contains, as a UUID of version 7 does. */
export function instantOfUuid(id: string): Date | undefined {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/i.exec(id) ?? [];
  return high === undefined || low === undefined ? undefined : new Date(Number.parseInt(high + low, 16));
}

type ParsedReset = Readonly<Record<string, string | undefined>>;

function instantOf(
  reset: ParsedReset | undefined,
  clock: { readonly now: Date | undefined; readonly zone: string | undefined },
): string | undefined {
  const { month, day, hour, minute, half, zone = clock.zone } = reset ?? {};
  if (hour === undefined || zone === undefined || clock.now === undefined) return undefined;
  const monthNumber = months.indexOf(month?.toLowerCase() ?? '') + 1;
  const time = {
    hour: half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0),
    minute: Number(minute ?? 0),
    zone,
    ...(monthNumber > 0 && day !== undefined ? { month: monthNumber, day: Number(day) } : {}),
  };
  return nextTimeOfDay(time, clock.now)?.toISOString();
}
