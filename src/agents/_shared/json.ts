/** An object from another program: any field may be missing or of another type. */
export type Json = Readonly<Record<string, unknown>>;

/** The value, where it is an object. */
export function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

/** The values, where there is a list of them; else none. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects in a list; anything else in it is ignored. */
export function asObjects(value: unknown): readonly Json[] {
  return asList(value).filter((item): item is Json => asObject(item) !== undefined);
}

/** The value, where it is a text that is not empty. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value, where it is a number that can count something. */
export function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

const latestEpochSeconds = 100_000_000_000;

/** The instant of a number of seconds since 1970; some programs give milliseconds, a text or a date instead. */
export function asInstant(value: unknown): string | undefined {
  const text = asText(value)?.trim();
  if (text !== undefined && !/^\d+(?:\.\d+)?$/.test(text)) return asDate(text);
  const epoch = asCount(text === undefined ? value : Number(text));
  if (epoch === undefined || epoch === 0) return undefined;
  const instant = new Date(epoch < latestEpochSeconds ? epoch * 1000 : epoch);
  return Number.isNaN(instant.getTime()) ? undefined : instant.toISOString();
}

/** A date with its day and year, as RFC 3339 or HTTP write it; anything else would be a guess. */
function asDate(text: string): string | undefined {
  if (
    !/^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$|^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]+ GMT$/.test(text)
  ) {
    return undefined;
  }
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? undefined : instant.toISOString();
}

/** Leaves out the fields that are not known, so that unknown is never mistaken for a value. */
export function known<Fields extends Readonly<Record<string, unknown>>>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const found: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) if (fields[name] !== undefined) found[name] = fields[name];
  return found as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
}
