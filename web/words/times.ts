const dayMs = 86_400_000;

const clockFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const longFormat = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });

/** The time of day, such as `05:42`. */
export function clock(instant: string | number): string {
  return clockFormat.format(new Date(instant));
}

/** The time of day; with the date unless it is within half a day. */
export function moment(instant: string | number, nowMs: number): string {
  const at = new Date(instant);
  return Math.abs(at.getTime() - nowMs) < dayMs / 2 ? clock(instant) : `${dayFormat.format(at)}, ${clock(instant)}`;
}

/** Such as `18 Nov`. */
export function day(instant: string | number): string {
  return dayFormat.format(new Date(instant));
}

/** Such as `Wednesday 18 November`. */
export function longDay(instant: string | number): string {
  return longFormat.format(new Date(instant));
}

/** The last 18:00 that is over, or another time of day such as `06:30`. */
export function lastTime(text: string, nowMs: number): Date {
  const [hours = '18', minutes = '0'] = text.split(':');
  const at = new Date(nowMs);
  at.setHours(Number(hours), Number(minutes), 0, 0);
  if (at.getTime() > nowMs) at.setDate(at.getDate() - 1);
  return at;
}
