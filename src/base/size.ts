const unitBytes = {
  TiB: 1024 ** 4,
  TB: 1000 ** 4,
  GiB: 1024 ** 3,
  GB: 1000 ** 3,
  MiB: 1024 ** 2,
  MB: 1000 ** 2,
  KiB: 1024,
  KB: 1000,
  B: 1,
} as const;
type Unit = keyof typeof unitBytes;
const units = Object.keys(unitBytes) as Unit[];
const grammar = new RegExp(`^([0-9]{1,16})(?:\\.([0-9]{1,9}))? ?(${units.join('|')})$`);

/**
 * Reads a size such as `4GB`, `1.5 GiB` or `512MiB` into bytes. Returns `undefined` for anything else: a unit is needed,
 * and fractions of a byte are refused.
 */
export function parseSize(text: string): number | undefined {
  const [, whole, fraction = '', unit] = grammar.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const scale = 10n ** BigInt(fraction.length);
  const scaled = BigInt(whole + fraction) * BigInt(unitBytes[unit as Unit]);
  const bytes = scaled % scale === 0n ? scaled / scale : undefined;
  return bytes !== undefined && bytes <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(bytes) : undefined;
}

/** Writes bytes as a size that `parseSize` reads back exactly, in the unit with the smallest whole number. */
export function formatSize(bytes: number): string {
  const whole = units.find((unit) => bytes >= unitBytes[unit] && bytes % unitBytes[unit] === 0) ?? 'B';
  return `${bytes / unitBytes[whole]}${whole}`;
}

/** Writes a size for people: `512 MiB`, `4.8 GiB`. */
export function roughSize(bytes: number): string {
  const unit = (['TiB', 'GiB'] as const).find((each) => bytes >= unitBytes[each]);
  return unit === undefined
    ? `${Math.floor(bytes / unitBytes.MiB)} MiB`
    : `${(bytes / unitBytes[unit]).toFixed(1)} ${unit}`;
}
