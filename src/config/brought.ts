import { realpathSync } from 'node:fs';
import path from 'node:path';
import { sha256 } from '../base/index.ts';
import {
  type Asks,
  configSchema,
  defaultConfig,
  encodeConfig,
  isAsStrict,
  type LoopConfig,
  listSettings,
  reachOf,
} from '../protocol/index.ts';
import { type ConfigSource, valueAt } from './source.ts';

/** Something that a project brings and that needs the user's consent. */
export interface BroughtLine {
  /** The setting that brings it, such as `hooks`; `check` for a check of a loop. */
  readonly setting: string;
  /** What it does: it runs or sends something, names a place outside of the project, or is laxer than the default. */
  readonly asks: Asks;
  /** Where it is written, such as `ralphd.yml:3:5`. */
  readonly where: string;
  /** Its value as it counts, not as it is written. */
  readonly text: string;
  /** Anything else that the user should know. */
  readonly note?: string;
  /** Names the setting and the value; the same line elsewhere in the file has the same. */
  readonly id: string;
}

/** What the file of a project brings. */
export interface BroughtBy {
  /** The project. */
  readonly folder: string;
  readonly lines: readonly BroughtLine[];
}

/** What is written where. */
interface Written {
  readonly values: unknown;
  readonly locate: ConfigSource['locate'];
  /** What the values mean, if that is known already. */
  readonly given?: LoopConfig;
  /** The folder that must not be left without consent. */
  readonly folder: string;
  /** The user's own settings, which may be replaced. */
  readonly user?: ConfigSource | undefined;
}

/** The lines of validated settings that need consent, for the settings that are in effect. */
export function broughtLines(
  { values, locate, folder, user, given = configSchema.parse(values) }: Written,
  isInEffect: (path: string) => boolean = () => true,
): readonly BroughtLine[] {
  const usual = defaultConfig();
  const [encoded, usualEncoded] = [encodeConfig(given), encodeConfig(usual)];
  return listSettings().flatMap(({ path: setting, form }) => {
    const keys = setting.split('.');
    const { asks, stricter, ofType } = reachOf(setting);
    if (asks === undefined || valueAt(values, keys) === undefined || !isInEffect(setting)) return [];
    const [value, standard] = [valueAt(encoded, keys), valueAt(usualEncoded, keys)];
    const replaces = asks === 'runs' || asks === 'sends' ? replaced(user, keys) : {};
    const line = (own: unknown, at: readonly PropertyKey[], more: Partial<BroughtLine> = {}) => ({
      ...lineOf({ setting: nameOf(setting, at, form), asks, value: own, where: locate([...keys, ...at]) }),
      ...replaces,
      ...more,
    });
    if (asks === 'weakens') {
      const isHarmless = stricter !== undefined && isAsStrict(valueAt(given, keys), valueAt(usual, keys), stricter);
      return isHarmless ? [] : [line(value, [], { note: `laxer than ${shortOf(standard)}` })];
    }
    if (asks === 'place') return placeLines(value, { folder, given, setting, line });
    if (isEmpty(value)) return 'note' in replaces ? [line(value, [])] : [];
    if (JSON.stringify(value) === JSON.stringify(standard)) return [];
    const entries = form === 'list' || form === 'map' ? Object.entries(value as object) : undefined;
    const asking = entries?.filter(
      ([, entry]) => ofType === undefined || JSON.stringify(entry).includes(`"${ofType}"`),
    );
    return asking?.map(([key, entry]) => line(entry, [form === 'list' ? Number(key) : key])) ?? [line(value, [])];
  });
}

/** One line that needs consent. */
export function lineOf({
  value,
  ...line
}: Pick<BroughtLine, 'setting' | 'asks' | 'where'> & { readonly value: unknown }): BroughtLine {
  return { ...line, text: textOf(value), id: sha256(JSON.stringify([line.setting, value])) };
}

function nameOf(setting: string, at: readonly PropertyKey[], form: string): string {
  return form === 'map' && at.length > 0 ? `${setting}.${String(at[0])}` : setting;
}

/** A setting of the user's that a project replaces. */
function replaced(user: ConfigSource | undefined, keys: readonly string[]): { readonly note?: string } {
  const value = user && valueAt(user.values, keys);
  return user === undefined || value === undefined || isEmpty(value)
    ? {}
    : { note: `replaces your own, ${user.locate(keys)}` };
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

type MakeLine = (value: unknown, at: readonly PropertyKey[], more?: Partial<BroughtLine>) => BroughtLine;

function placeLines(
  value: unknown,
  {
    folder,
    given,
    setting,
    line,
  }: { readonly folder: string; readonly given: LoopConfig; readonly setting: string; readonly line: MakeLine },
): readonly BroughtLine[] {
  const base = setting === 'workingDir' ? folder : path.resolve(folder, given.workingDir);
  const places = Array.isArray(value) ? value.map((entry, index) => [entry, [index]] as const) : [[value, []] as const];
  return places.flatMap(([place, at]) => {
    const outside = typeof place === 'string' ? placeOutside(path.resolve(base, place), folder) : undefined;
    return outside === undefined ? [] : [line(place, at, { note: `outside of the project: ${outside}` })];
  });
}

/** The real place of a path that leads out of a folder; undefined if it stays inside. */
export function placeOutside(place: string, folder: string): string | undefined {
  const [real, inside] = [realPlace(place), realPlace(folder)];
  const relative = path.relative(inside, real);
  return relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative) ? real : undefined;
}

/** A path with the links of its existing part resolved. */
function realPlace(place: string): string {
  try {
    return realpathSync(place);
  } catch {
    const above = path.dirname(place);
    return above === place ? place : path.join(realPlace(above), path.basename(place));
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function shortOf(value: unknown): string {
  return value === undefined ? 'the default, which is none' : `the default ${textOf(value).slice(0, 60)}`;
}
