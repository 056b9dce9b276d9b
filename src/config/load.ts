import { failures, LoopError } from '../base/index.ts';
import {
  type ConfigSetting,
  configSchema,
  isAsStrict,
  type LoopConfig,
  listSettings,
  reachOf,
} from '../protocol/index.ts';
import { type BroughtBy, broughtLines } from './brought.ts';
import { checkSource } from './check-source.ts';
import { type Environment, environmentSource, type UnknownVariable } from './environment.ts';
import { fileSources, findFiles } from './files.ts';
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
  /** Where a laxer value of the project is that has no effect. */
  readonly overrules?: string;
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
  /** What the project's file brings that needs the user's consent. */
  readonly brought: BroughtBy;
  /** The configuration without those lines, for a command that must work before the user consents. */
  readonly harmless: () => LoopConfig;
}

/**
 * Finds, reads and merges a configuration: flags over `RALPHD_*` variables over the project's file over the user's
 * file over the defaults. The source with the highest precedence sets the whole value: lists and maps are not merged,
 * except that each variable of a prompt counts as a setting of its own, and that a project cannot weaken what the user's
 * file sets.
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
  const [project, user] = (['project', 'user'] as const).map((kind) => files.find((file) => file.kind === kind));
  const overruled = tooLax(project, user, settings);
  const { config, provenance } = merge(sources, settings, overruled);
  const isGiven = (path: string) => (provenance[path]?.source ?? 'default') !== 'default';
  const isInEffect = (path: string) => provenance[path]?.source === 'project';
  const folder = places.cwd;
  // Who names the own file with --config has no project that could bring anything.
  const isOwn = project?.file === findFiles(places).user;
  const lines = project === undefined || isOwn ? [] : broughtLines({ ...project, folder, user }, isInEffect);
  const harmless = () => {
    const consequential = settings.filter(({ path }) => reachOf(path).asks !== undefined).map(({ path }) => path);
    return merge(sources, settings, new Set([...overruled, ...consequential])).config;
  };
  return {
    config,
    provenance,
    isGiven,
    files: files.map(({ file }) => file),
    locate,
    brought: { folder, lines },
    harmless,
  };
}

/** The settings of a project that are laxer than what the user's own file sets. */
function tooLax(
  project: ConfigSource | undefined,
  user: ConfigSource | undefined,
  settings: readonly ConfigSetting[],
): ReadonlySet<string> {
  if (project === undefined || user === undefined) return new Set();
  const [theirs, usual] = [asked(project), asked(user)];
  const isSet = (path: string) => valueAt(user.values, path.split('.')) !== undefined;
  const lax = settings.filter(({ path }) => {
    const { stricter, besides = [] } = reachOf(path);
    const keys = path.split('.');
    if (stricter === undefined || valueAt(project.values, keys) === undefined) return false;
    // A person who is asked because of "attended" is one that "mode" must not take away.
    const guards = path === 'mode' ? ['mode', 'attended'] : [path, ...besides];
    return guards.some(isSet) && !isAsStrict(valueAt(theirs, keys), valueAt(usual, keys), stricter);
  });
  return new Set(lax.map(({ path }) => path));
}

/** The settings of a source, with "attended" as the mode that it is another word for. */
function asked({ values }: ConfigSource): LoopConfig {
  const config = configSchema.parse(values);
  return config.attended ? { mode: 'attended', ...config } : config;
}

function merge(
  sources: readonly ConfigSource[],
  settings: readonly ConfigSetting[],
  overruled: ReadonlySet<string>,
): Pick<LoadedConfig, 'config' | 'provenance'> {
  const values: Record<string, unknown> = {};
  const provenance: Record<string, Provenance> = {};
  for (const { path } of settings) {
    const keys = path.split('.');
    const all = sources.filter((each) => valueAt(each.values, keys) !== undefined);
    const given = all.filter(({ kind }) => kind !== 'project' || !overruled.has(path));
    const [strongest] = given;
    if (strongest === undefined) continue;
    const found = given.map((source) => valueAt(source.values, keys));
    setAt(values, keys, path === 'vars' ? joinMaps(found) : found[0]);
    const overrules = strongest.kind === 'user' ? all.find((each) => !given.includes(each))?.locate(keys) : undefined;
    provenance[path] = {
      source: strongest.kind,
      where: strongest.locate(keys),
      ...(overrules === undefined ? {} : { overrules }),
    };
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
