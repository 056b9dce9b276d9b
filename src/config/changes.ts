import { encodeConfig, type LoopConfig, listSettings } from '../protocol/index.ts';
import { setAt, valueAt } from './source.ts';

/** Values of settings by their paths, such as `iteration.timeout`. */
export type SettingValues = Readonly<Record<string, unknown>>;

/** A setting that has one value in one configuration and another in another. */
export interface SettingDifference {
  /** Its path, such as `iteration.timeout`. */
  readonly setting: string;
  /** The values as a file would have them; undefined where there is none. */
  readonly from: unknown;
  readonly to: unknown;
  /** The second value as the program has it. */
  readonly value: unknown;
}

/** A configuration with other values for some settings. */
export function withSettings(config: LoopConfig, values: SettingValues): LoopConfig {
  const changed = structuredClone(config);
  for (const [path, value] of Object.entries(values)) setAt(changed, path.split('.'), value);
  return changed;
}

/** The settings in which a configuration differs from an earlier one, in the order of the schema. */
export function settingDifferences(before: LoopConfig, after: LoopConfig): readonly SettingDifference[] {
  const [earlier, later] = [encodeConfig(before), encodeConfig(after)];
  return listSettings().flatMap(({ path: setting }) => {
    const keys = setting.split('.');
    const [from, to] = [valueAt(earlier, keys), valueAt(later, keys)];
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ setting, from, to, value: valueAt(after, keys) }];
  });
}
