import { failures, LoopError } from '../base/index.ts';
import { type ConfigSetting, configSchema, type LoopConfig, listSettings } from '../protocol/index.ts';
import { checkSource } from './check-source.ts';
import { type Environment, environmentSource, type UnknownVariable } from './environment.ts';
import { fileSources } from './files.ts';
import { type ConfigFlags, flagSource } from './flags.ts';
import type { Given } from './prompt-layer.ts';
import { type ConfigSource, type SourceKind, setAt, sourceKinds, valueAt } from './source.ts';

/** Where a configuration comes from. */
export interface ConfigPlaces {
  /** Folder of the project; its `ralphd.yml` is read. */
  readonly cwd: string;
  readonly env: Environment;
  readonly flags?: ConfigFlags;
  /** The flags of settings whose name is not the path in kebab case, by path. */
  readonly flagNames?: Readonly<Record<string, string>>;
  /** Read instead of the project's file; it must exist. */
  readonly configFile?: string | undefined;
  /** Called with each unknown `RALPHD_*` variable. */
  readonly onUnknownVariable?: (variable: UnknownVariable) => void;
}

/** Who set a setting, and where. */
export interface Provenance {
  readonly source: SourceKind;
  readonly where?: string;
}

/** A configuration, where each setting comes from, and which files were read. */
export interface LoadedConfig {
  readonly config: LoopConfig;
  /** By path, such as `iteration.timeout`; settings without a value are not included. */
  readonly provenance: Readonly<Record<string, Provenance>>;
  readonly files: readonly string[];
  /** Whether a setting was given; all others have their default or no value. */
  readonly isGiven: Given;
  /** Where the value at a path is set, also inside lists; undefined for a default. */
  readonly locate: (path: readonly PropertyKey[]) => string | undefined;
}

/**
 * Finds, reads and merges a configuration: flags over `RALPHD_*` variables over the project's file over the user's
 * file over the defaults. The source with the highest precedence sets the whole value: lists and maps are not merged,
 * except that each variable of a prompt counts as a setting of its own.
 *
 * @throws LoopError for anything in any source that is not a setting or has an invalid value.
 */
export async function loadConfig(places: ConfigPlaces): Promise<LoadedConfig> {
  const settings = listSettings();
  const files = await fileSources(places);
  const variables = environmentSource(places.env, settings);
  const sources: readonly ConfigSource[] = [
    flagSource(places.flags ?? {}, places.flagNames ?? {}, settings),
    variables,
    ...files,
  ];
  for (const unknown of variables.unknown) places.onUnknownVariable?.(unknown);
  for (const source of sources) checkSource(source, settings);
  const locate = (path: readonly PropertyKey[]) =>
    sources.find(({ values }) => valueAt(values, path) !== undefined)?.locate(path);
  const { config, provenance } = merge(sources, settings);
  const isGiven = (path: string) => (provenance[path]?.source ?? 'default') !== 'default';
  return { config, provenance, isGiven, files: files.map(({ file }) => file), locate };
}

function merge(
  sources: readonly ConfigSource[],
  settings: readonly ConfigSetting[],
): Pick<LoadedConfig, 'config' | 'provenance'> {
  const values: Record<string, unknown> = {};
  const provenance: Record<string, Provenance> = {};
  for (const { path } of settings) {
    const keys = path.split('.');
    const given = sources.filter((each) => valueAt(each.values, keys) !== undefined);
    const [strongest] = given;
    if (strongest === undefined) continue;
    const found = given.map((source) => valueAt(source.values, keys));
    setAt(values, keys, path === 'vars' ? joinMaps(found) : found[0]);
    provenance[path] = { source: strongest.kind, where: strongest.locate(keys) };
  }
  keepOnePrompt(values, provenance);
  const config = configSchema.parse(values);
  for (const { path } of settings)
    if (valueAt(config, path.split('.')) !== undefined) provenance[path] ??= { source: 'default' };
  return { config, provenance };
}

/** All entries of validated maps; earlier maps win. */
function joinMaps(maps: readonly unknown[]): unknown {
  return Object.fromEntries(maps.toReversed().flatMap((map) => Object.entries(map ?? {})));
}

// A prompt as text and a prompt as a file are alternatives, so the source with higher precedence decides.
function keepOnePrompt(values: Record<string, unknown>, provenance: Record<string, Provenance>): void {
  const { prompt: text, promptPath: file } = provenance;
  if (text === undefined || file === undefined) return;
  if (text.source === file.source) {
    const [first, second] = [text.where ?? 'prompt', file.where ?? 'promptPath'];
    const conflict = text.source === 'flag' ? failures.conflictingOptions : failures.promptGivenTwice;
    throw new LoopError(conflict(first, second));
  }
  const weaker = sourceKinds.indexOf(text.source) < sourceKinds.indexOf(file.source) ? 'promptPath' : 'prompt';
  delete values[weaker];
  delete provenance[weaker];
}
