import { boundText, failures, LoopError, nearest } from '../base/index.ts';
import { type ConfigSetting, conditionKeys, configSchema, type LoopConfig, listSettings } from '../protocol/index.ts';
import { type ConfigSource, valueAt } from './source.ts';

type Issue = NonNullable<ReturnType<typeof configSchema.safeParse>['error']>['issues'][number];

/** Throws for the first key in a source that is not a setting or has an invalid value. */
export function checkSource(source: ConfigSource, settings: readonly ConfigSetting[]): void {
  // Most runs have neither flags nor variables that are settings.
  if (isEmptyMapping(source.values)) return;
  const issues = configSchema.safeParse(source.values).error?.issues ?? [];
  const [issue] = issues;
  if (issue === undefined) return;
  // A misspelled key also makes a required one missing; the misspelling is the better explanation.
  const slip = issues.find((each) => each.code === 'unrecognized_keys' && isUnder(issue.path, each.path)) ?? issue;
  if (slip.code === 'unrecognized_keys') throw unknownKey(source, [...slip.path, slip.keys[0] ?? ''], settings);
  throw unknownCondition(source, slip) ?? badValue(source, slip);
}

function isEmptyMapping(value: unknown): boolean {
  const isMapping = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return isMapping && Object.keys(value).length === 0;
}

/** A configuration from a program, with defaults. Throws like `checkSource`, and says where it was given. */
export function parseGiven(values: unknown, where: string): LoopConfig {
  checkSource({ kind: 'project', values, locate: () => where }, listSettings());
  return configSchema.parse(values);
}

function unknownKey(source: ConfigSource, path: readonly PropertyKey[], settings: readonly ConfigSetting[]): LoopError {
  const group = path.slice(0, -1).map(String);
  const key = String(path.at(-1));
  const below = settings.map((setting) => setting.path.split('.')).filter((keys) => isUnder(keys, group));
  const siblings = keysOfCondition(source, group) ?? below.map((keys) => keys[group.length] ?? '');
  const sibling = nearest(key, new Set(siblings));
  const suggestion = sibling === undefined ? elsewhere(key, settings) : [...group, sibling].join('.');
  return new LoopError(failures.configUnknownKey(path.join('.'), source.locate(path), suggestion));
}

function isUnder(keys: readonly PropertyKey[], group: readonly PropertyKey[]): boolean {
  return group.every((key, index) => keys[index] === key);
}

/** The keys that a condition may have, if the path leads to one. */
function keysOfCondition(source: ConfigSource, path: readonly string[]): readonly string[] | undefined {
  return path[0] === 'stopConditions' && path.length > 2
    ? conditionKeys.get(String(valueAt(source.values, [...path, 'type'])))
    : undefined;
}

/** A condition of an unknown type. */
function unknownCondition(source: ConfigSource, { code, path }: Issue): LoopError | undefined {
  const type = valueAt(source.values, path);
  if (code !== 'invalid_union' || path[0] !== 'stopConditions' || typeof type !== 'string') return undefined;
  const suggestion = nearest(type, conditionKeys.keys());
  return new LoopError(failures.configUnknownCondition(quote(type), source.locate(path), suggestion));
}

/** A setting of the same name in another group. */
function elsewhere(key: string, settings: readonly ConfigSetting[]): string | undefined {
  return settings.find(({ path }) => path.endsWith(`.${key}`))?.path;
}

function badValue(source: ConfigSource, issue: Issue): LoopError {
  const where = source.locate(issue.path);
  const found = issue.code === 'invalid_key' ? quote(String(issue.path.at(-1))) : describeAt(source.values, issue.path);
  if (source.kind === 'flag') return new LoopError(failures.badValue(where, issue.message, found));
  const name = issue.path.length === 0 ? 'The configuration' : issue.path.join('.');
  const place = source.kind === 'env' ? where : `${name} (${where})`;
  return new LoopError(failures.configBadValue(place, issue.message, found));
}

/** A short description of the value at a path. */
export function describeAt(values: unknown, path: readonly PropertyKey[]): string {
  const value = valueAt(values, path);
  if (value === undefined) return 'missing';
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  const mayBeSecret =
    path[0] === 'vars' ||
    ((path[0] === 'notify' || path[0] === 'backup') && secretFields.has(path.at(-1) ?? '')) ||
    (path[0] === 'iteration' && path[1] === 'env');
  if (mayBeSecret) return `a ${typeof value}`;
  return typeof value === 'string' ? quote(value) : `${value as number | boolean}`;
}

/** Where somebody may have put a secret itself instead of a reference. */
const secretFields: ReadonlySet<PropertyKey> = new Set([
  'url',
  'secret',
  'token',
  'endpoint',
  'accessKeyId',
  'secretAccessKey',
  'sessionToken',
]);

function quote(text: string): string {
  return JSON.stringify(boundText(text, 100));
}
