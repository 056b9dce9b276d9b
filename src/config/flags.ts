import type { ConfigSetting } from '../protocol/index.ts';
import { readSettingText } from './setting-text.ts';
import { type ConfigSource, setAt, valueAt } from './source.ts';

/** What the command line sets: nested as in a file, but a value may still be the text that was typed. */
export interface ConfigFlags {
  readonly [key: string]: unknown;
}

/** Reads the flags of a command line; `names` maps settings to flags other than their name in kebab case. */
export function flagSource(
  flags: ConfigFlags,
  names: Readonly<Record<string, string>>,
  settings: readonly ConfigSetting[],
): ConfigSource {
  const values: Record<string, unknown> = structuredClone(flags);
  for (const { path, form } of settings) {
    const value = valueAt(flags, path.split('.'));
    if (typeof value === 'string') setAt(values, path.split('.'), readSettingText(form, value));
  }
  return { kind: 'flag', values, locate: (path) => flagName(path, names) };
}

function flagName(path: readonly PropertyKey[], names: Readonly<Record<string, string>>): string {
  const keys = path.filter((key) => typeof key === 'string');
  // A mistake inside a list or a mapping is reported for the flag that gave it.
  const setting = keys
    .map((_, index) => keys.slice(0, index + 1).join('.'))
    .findLast((each) => Object.hasOwn(names, each));
  const name = setting === undefined ? undefined : names[setting];
  return name ?? `--${keys.join('-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
