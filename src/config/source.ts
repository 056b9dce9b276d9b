/** The sources of settings, highest precedence first. */
export const sourceKinds = ['flag', 'env', 'project', 'user', 'default'] as const;

/** The source of a setting. */
export type SourceKind = (typeof sourceKinds)[number];

/** One source with its settings. */
export interface ConfigSource {
  readonly kind: Exclude<SourceKind, 'default'>;
  /** Nested as in a file; not validated yet. */
  readonly values: unknown;
  /** Where the setting at this path is set: `ralphd.yml:3:16`, `RALPHD_AGENT` or `--agent`. */
  readonly locate: (path: readonly PropertyKey[]) => string;
}

/** The value at a path, considering own properties only. */
export function valueAt(values: unknown, path: readonly PropertyKey[]): unknown {
  let value = values;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

/** Sets the value at a path of settings, creating the groups on the way. */
export function setAt(values: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key, ...rest] = path;
  if (key === undefined) return;
  if (rest.length === 0) {
    values[key] = value;
    return;
  }
  const group = (values[key] ??= {});
  setAt(group as Record<string, unknown>, rest, value);
}
