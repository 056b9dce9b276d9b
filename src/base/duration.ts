const unitMs = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;
type Unit = keyof typeof unitMs;
const units = Object.keys(unitMs) as Unit[];
const printedUnits = units.filter((unit) => unit !== 'w');

const part = (unit: Unit): string => `(?: ?([0-9]+)(?:\\.([0-9]+))?${unit})?`;
const grammar = new RegExp(`^${units.map(part).join('')}$`);
const maxTextLength = 100;

/**
 * Reads a duration such as `5s`, `1h 30m`, `1.5h` or `0` into milliseconds.
 *
 * Returns `undefined` for anything else: units must descend (`w d h m s ms`), each at most once, only zero may lack
 * a unit, and fractions of a millisecond are refused. A limit that is read leniently is no limit.
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (text === '' || text.startsWith(' ') || text.length > maxTextLength) return undefined;
  const match = grammar.exec(text);
  if (match === null) return undefined;
  let total = 0n;
  for (const [index, unit] of units.entries()) {
    const amount = exactMs(match[1 + index * 2], match[2 + index * 2], unit);
    if (amount === undefined) return undefined;
    total += amount;
  }
  return total <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(total) : undefined;
}

/**
 * Writes milliseconds as a duration that `parseDuration` reads back exactly, such as `1h 30m` or `0s`.
 *
 * Fractions are rounded to whole milliseconds; a negative or infinite amount is a bug in the caller.
 */
export function formatDuration(ms: number): string {
  let rest = Math.round(ms);
  if (!Number.isSafeInteger(rest) || rest < 0) throw new RangeError(`${ms} is not a duration in milliseconds.`);
  const parts: string[] = [];
  for (const unit of printedUnits) {
    const count = Math.floor(rest / unitMs[unit]);
    rest -= count * unitMs[unit];
    if (count > 0) parts.push(`${count}${unit}`);
  }
  return parts.length === 0 ? '0s' : parts.join(' ');
}

/** Writes remaining time for people, in its two largest units and never rounded down: `2h 14m`, `8d 1h`, `5s`. */
export function roughDuration(ms: number): string {
  const step = printedUnits.findIndex((unit) => ms >= unitMs[unit]);
  const unit = printedUnits[step + 1] ?? 's';
  const grain = step === -1 ? unitMs.s : Math.max(unitMs[unit], unitMs.s);
  return formatDuration(Math.ceil(Math.max(0, ms) / grain) * grain);
}

// Decimal digits are scaled as integers: 1.1 * 3_600_000 is not whole in floating point.
function exactMs(whole: string | undefined, fraction: string | undefined, unit: Unit): bigint | undefined {
  if (whole === undefined) return 0n;
  const scale = 10n ** BigInt(fraction?.length ?? 0);
  const scaled = BigInt(whole + (fraction ?? '')) * BigInt(unitMs[unit]);
  return scaled % scale === 0n ? scaled / scale : undefined;
}

/** Elapsed time in whole seconds: `5s`, `1m 5s`, `2h 3m`. */
export function wholeSeconds(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000)) || 0;
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m ${seconds % 60}s` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}
