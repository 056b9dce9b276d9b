import { shortCount } from '../../src/base/index.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A duration in at most two units: `12 s`, `6 min 40 s`, `5 h 30 min`, `2 d 3 h`. */
export function duration(ms: number): string {
  const whole = Math.max(0, ms);
  if (whole < minuteMs) return `${Math.floor(whole / 1_000)} s`;
  if (whole < hourMs) return pair(whole, { unit: minuteMs, name: 'min', below: 10_000, lower: 's', per: 1_000 });
  if (whole < dayMs) return pair(whole, { unit: hourMs, name: 'h', below: minuteMs, lower: 'min', per: minuteMs });
  return pair(whole, { unit: dayMs, name: 'd', below: hourMs, lower: 'h', per: hourMs });
}

/** The same in one unit, where there is little room. */
export function shortDuration(ms: number): string {
  if (ms < minuteMs) return `${Math.max(0, Math.round(ms / 1_000))} s`;
  if (ms < hourMs) return `${Math.round(ms / minuteMs)} min`;
  if (ms < dayMs) return `${(ms / hourMs).toFixed(1)} h`;
  return `${(ms / dayMs).toFixed(1)} d`;
}

interface Units {
  readonly unit: number;
  readonly name: string;
  /** The lower unit changes in steps of this. */
  readonly below: number;
  readonly lower: string;
  readonly per: number;
}

function pair(ms: number, { unit, name, below, lower, per }: Units): string {
  const high = Math.floor(ms / unit);
  const low = Math.floor((ms % unit) / below) * (below / per);
  return low === 0 ? `${high} ${name}` : `${high} ${name} ${low} ${lower}`;
}

/** Money with what is known of it: `≥ $4.10` when some runs did not report, `not reported` when none did. */
export function money(usd: number | null, unreportedRuns = 0): string {
  if (usd === null) return 'not reported';
  return `${unreportedRuns > 0 ? '≥ ' : ''}${dollars(usd)}`;
}

/** Such as `$0.93`; tenths of a cent are shown where they are all there is. */
export function dollars(usd: number): string {
  if (usd > 0 && usd < 0.005) return '< $0.01';
  return usd >= 10_000 ? `$${shortCount(usd)}` : `$${usd.toFixed(2)}`;
}

/** A number with its noun: `1 test`, `14 tests`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

export { shortCount };
