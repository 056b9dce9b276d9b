const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** An instant in local time: `14:05`, `tomorrow 03:00`, `Sat 21 Nov 03:00`. */
export function localInstant(instantMs: number, nowMs: number): string {
  const [instant, now] = [new Date(instantMs), new Date(nowMs)];
  const time = `${twoDigits(instant.getHours())}:${twoDigits(instant.getMinutes())}`;
  if (isSameDay(instant, now)) return time;
  const tomorrow = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  if (isSameDay(instant, tomorrow)) return `tomorrow ${time}`;
  return `${days[instant.getDay()]} ${instant.getDate()} ${months[instant.getMonth()]} ${time}`;
}

/** A minute in local time, with its date: `2026-11-21 03:00`. */
export function localMinute(instantMs: number): string {
  const instant = new Date(instantMs);
  const date = [instant.getFullYear(), twoDigits(instant.getMonth() + 1), twoDigits(instant.getDate())].join('-');
  return `${date} ${twoDigits(instant.getHours())}:${twoDigits(instant.getMinutes())}`;
}

function isSameDay(one: Date, other: Date): boolean {
  return one.toDateString() === other.toDateString();
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
