import { type LoadedConfig, type Provenance, valueAt } from '../config/index.ts';
import { listSettings } from '../protocol/index.ts';
import { showConfig } from './adapters/redact-facts.ts';

/** A setting with a value, and where it comes from. */
export interface EffectiveSetting extends Provenance {
  readonly setting: string;
  /** As written in a file; secrets are masked. */
  readonly value: unknown;
}

/** Every setting that has a value, in the order of the schema. */
export function effectiveSettings(
  { config, provenance }: Pick<LoadedConfig, 'config' | 'provenance'>,
  env: NodeJS.ProcessEnv,
): readonly EffectiveSetting[] {
  const shown = showConfig(config, env);
  return listSettings().flatMap(({ path: setting }) => {
    const value = valueAt(shown, setting.split('.'));
    const given = provenance[setting];
    return value === undefined || given === undefined ? [] : [{ setting, value, ...given }];
  });
}
