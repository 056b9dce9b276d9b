/**
 * Which loop each loop continues, as a registry of ours records it; null for a loop that continues none. That never
 * changes, so it holds for every loop in it, however old the registry is. Empty for the registry of an older ralphd.
 */
export function linksIn(registry: { readonly [key: string]: unknown }): ReadonlyMap<string, string | null> {
  const { ralphd } = registry;
  const links: unknown =
    typeof ralphd === 'object' && ralphd !== null ? Reflect.get(ralphd, 'resumed_from') : undefined;
  if (typeof links !== 'object' || links === null) return new Map();
  return new Map(Object.entries(links).filter((entry): entry is [string, string | null] => isLink(entry[1])));
}

function isLink(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}
