import { encodeConfig, type LoopConfig, listSettings } from '../protocol/index.ts';
import { setAt, valueAt } from './source.ts';

/** Values of settings by their paths, such as `iteration.timeout`. */
export type SettingValues = Readonly<Record<string, unknown>>;

/** A setting whose value differs between two configurations. */
export interface SettingDifference {
  /** Its path, such as `iteration.timeout`. */
  readonly setting: string;
  /** The values as written in a file; undefined if there is none. */
  readonly from: unknown;
  readonly to: unknown;
  /** The second value as the program uses it. */
  readonly value: unknown;
}

/** A configuration with some settings replaced. */
export function withSettings(config: LoopConfig, values: SettingValues): LoopConfig {
  const changed = structuredClone(config);
  for (const [path, value] of Object.entries(values)) setAt(changed, path.split('.'), value);
  return changed;
}

/** The settings that differ between two configurations, in the order of the schema. */
export function settingDifferences(before: LoopConfig, after: LoopConfig): readonly SettingDifference[] {
  const [earlier, later] = [encodeConfig(before), encodeConfig(after)];
  return listSettings().flatMap(({ path: setting }) => {
    const keys = setting.split('.');
    const [from, to] = [valueAt(earlier, keys), valueAt(later, keys)];
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ setting, from, to, value: valueAt(after, keys) }];
  });
}
