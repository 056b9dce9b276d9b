import type { LoopConfig } from '../protocol/index.ts';
import { setAt } from './source.ts';

/** Values of settings by their paths, such as `iteration.timeout`. */
export type SettingValues = Readonly<Record<string, unknown>>;

/** A configuration with other values for some settings. */
export function withSettings(config: LoopConfig, values: SettingValues): LoopConfig {
  const changed = structuredClone(config);
  for (const [path, value] of Object.entries(values)) setAt(changed, path.split('.'), value);
  return changed;
}
