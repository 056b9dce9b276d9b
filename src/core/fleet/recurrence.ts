import { failures, LoopError, parseDuration } from '../../base/index.ts';
import { localClock, minuteMs } from '../rules/local-time.ts';
import { type Cron, nextByCron, parseCron } from './cron.ts';

/** When something is to happen again: after a time that passes, or by the calendar of a time zone. */
export type Recurrence =
  | { readonly kind: 'interval'; readonly everyMs: number }
  | { readonly kind: 'calendar'; readonly cron: Cron; readonly zone: string };

/** What happens to due times at which no worker was there: nothing, one run for all of them, or one for each. */
export type MissedRuns = 'skip' | 'one' | 'all';

/** Reads `15m` or `1h 30m`, five fields of cron, or a word such as `@daily`; throws a `LoopError` for anything else. */
export function parseEvery(text: string, zone = 'UTC'): Recurrence {
  const everyMs = parseDuration(text.trim());
  if (everyMs !== undefined) {
    if (everyMs < minuteMs) throw new LoopError(failures.scheduleMalformed(text, 'the shortest interval is 1m'));
    return { kind: 'interval', everyMs };
  }
  if (!isZone(zone)) throw new LoopError(failures.scheduleZone(zone));
  const cron = parseCron(text);
  if (typeof cron === 'string') throw new LoopError(failures.scheduleMalformed(text, cron));
  if (nextByCron(cron, localClock(zone), 0) === undefined) {
    throw new LoopError(failures.scheduleMalformed(text, 'no date fulfils it'));
  }
  return { kind: 'calendar', cron, zone };
}

function isZone(zone: string): boolean {
  try {
    localClock(zone);
    return true;
  } catch {
    return false;
  }
}

/** When a new schedule is due for the first time: an interval begins at once. */
export function firstDue(recurrence: Recurrence, nowMs: number): number {
  return recurrence.kind === 'interval' ? nowMs : nextDue(recurrence, nowMs, nowMs);
}

/** The first due time after an instant. Intervals are counted from a due time, so that they do not drift. */
function nextDue(recurrence: Recurrence, dueMs: number, afterMs: number): number {
  if (recurrence.kind === 'interval') {
    const { everyMs } = recurrence;
    return dueMs + (Math.floor((afterMs - dueMs) / everyMs) + 1) * everyMs;
  }
  // A rule that no day fulfils was refused when it was read.
  return nextByCron(recurrence.cron, localClock(recurrence.zone), afterMs) ?? Number.MAX_SAFE_INTEGER;
}

/** The state of a schedule, and the present. */
export interface ScheduleMoment {
  readonly recurrence: Recurrence;
  /** The due time that has not been handled yet. */
  readonly nextMs: number;
  readonly nowMs: number;
  readonly missed: MissedRuns;
}

/** What a schedule has to do now. */
export interface DueRuns {
  /** The due times of the runs to start, oldest first. A due time is started once, whoever asks and however often. */
  readonly runs: readonly number[];
  /** Replaces `nextMs`. */
  readonly nextMs: number;
}

/** A run that is at most this late was not missed: the database may have been restarted. */
const graceMs = 60_000;
/** A clock that jumps by a year must not start a loop for each minute of it. */
const maxRuns = 100;

/**
 * Which due times to start now, and what comes next. A clock that was set back never starts a due time again, because
 * each is started once, and the schedule does not wait until the clock is back where it was.
 */
export function dueRuns({ recurrence, nextMs, nowMs, missed }: ScheduleMoment): DueRuns {
  const next = nextDue(recurrence, nextMs, nowMs);
  if (nextMs > nowMs) return { runs: [], nextMs: Math.min(nextMs, next) };
  const due = newestDue(recurrence, { fromMs: nextMs, nowMs, count: missed === 'all' ? maxRuns : 1 });
  return { runs: missed === 'skip' ? due.filter((atMs) => nowMs - atMs <= graceMs) : due, nextMs: next };
}

interface DueSpan {
  readonly fromMs: number;
  readonly nowMs: number;
  readonly count: number;
}

/** The newest due times from one on until now, oldest first. */
function newestDue(recurrence: Recurrence, { fromMs, nowMs, count }: DueSpan): readonly number[] {
  if (recurrence.kind === 'interval') {
    const { everyMs } = recurrence;
    const all = Math.floor((nowMs - fromMs) / everyMs) + 1;
    const kept = Math.min(all, count);
    return Array.from({ length: kept }, (_, index) => fromMs + (all - kept + index) * everyMs);
  }
  // From the end, in steps that grow: nobody lists the minutes of a year to keep a hundred.
  for (let spanMs = minuteMs; ; spanMs *= 4) {
    const beginMs = Math.max(fromMs, nowMs - spanMs);
    const due = beginMs === fromMs ? [fromMs] : [];
    for (let at = nextDue(recurrence, 0, beginMs); at <= nowMs; at = nextDue(recurrence, 0, at)) due.push(at);
    if (beginMs === fromMs || due.length >= count) return due.slice(-count);
  }
}

/** The name of one run of a schedule: whoever starts it uses the same. */
export function runKey(scheduleId: string, dueMs: number): string {
  return `${scheduleId}@${new Date(dueMs).toISOString()}`;
}
