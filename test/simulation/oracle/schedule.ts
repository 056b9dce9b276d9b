import type { LoopConfig } from '../../../src/protocol/index.ts';

/** Whether a schedule (all in UTC here) lets an iteration start; computed without the rules under test. */
export function isWithin(schedule: LoopConfig['schedule'], atMs: number): boolean {
  if (schedule === undefined) return true;
  const at = new Date(atMs);
  const [date = '', clock = ''] = at.toISOString().split('T');
  const time = clock.slice(0, 5);
  const isAllowedDay = (day: Date) =>
    schedule.days === undefined || schedule.days.includes(names[day.getUTCDay()] ?? 'sun');
  const isClosed = schedule.blackout.some((part) => {
    const [first = '', last = ''] = part.split(part.includes('/') ? '/' : '-');
    return part.includes('/') ? first <= date && date <= last : isBetween(time, first, last);
  });
  if (isClosed) return false;
  return (schedule.hours ?? '00:00-24:00').split(', ').some((range) => {
    const [first = '', last = ''] = range.split('-');
    const beganYesterday = first > last && time < last;
    return isBetween(time, first, last) && isAllowedDay(beganYesterday ? new Date(atMs - 86_400_000) : at);
  });
}

const names = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

function isBetween(time: string, first: string, last: string): boolean {
  return first < last ? first <= time && time < last : time >= first || time < last;
}
