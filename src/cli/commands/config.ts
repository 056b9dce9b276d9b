import { type EffectiveSetting, effectiveSettings } from '../../app/index.ts';
import { exitCodes, failures, LoopError, nearest, scrub } from '../../base/index.ts';
import { settingAsYaml, settingVariable } from '../../config/index.ts';
import {
  type Asks,
  configJsonSchema,
  describeSettings,
  listSettings,
  reachOf,
  type SettingDescription,
} from '../../protocol/index.ts';
import { commandDefinitions } from '../definitions.ts';
import { flagsOf } from '../help.ts';
import { columnLines } from '../output/columns.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { paintFor } from '../output/paint.ts';
import { widthOf } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import { settingsFor } from '../settings.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd config`: the settings in effect, the meaning of one, or the schema of all. */
export async function configCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const [question = 'show', key] = invocation.args;
  const { words = [] } = invocation.command;
  if (!words.includes(question)) throw new LoopError(failures.unknownSubcommand('config', question, words));
  if (key !== undefined && question !== 'explain') {
    throw new LoopError(failures.tooManyArguments(`config ${question}`, key));
  }
  if (question === 'show') await show(invocation, surroundings);
  else if (question === 'explain') await explain(key, invocation, surroundings);
  else surroundings.stdout.write(jsonLine(configJsonSchema(), invocation.options['json'] === true ? 0 : 2));
  return exitCodes.completed;
}

async function show(invocation: Invocation, surroundings: Surroundings): Promise<void> {
  const { stdout, env } = surroundings;
  const loaded = await settingsFor(invocation, surroundings);
  const settings = effectiveSettings(loaded, env);
  if (invocation.options['json'] === true) {
    stdout.write(jsonLine({ files: loaded.files, settings }));
    return;
  }
  const shown = invocation.options['all'] === true ? settings : settings.filter(({ source }) => source !== 'default');
  const left = settings.length - shown.length;
  const note = `${left} ${left === 1 ? 'setting has its default value' : 'settings have their default values'}: ralphd config show --all`;
  stdout.write([...settingRows(shown, widthOf(stdout)), ...(left === 0 ? [] : [note]), ''].join('\n'));
}

function settingRows(settings: readonly EffectiveSetting[], width: number): readonly string[] {
  if (settings.length === 0) return [];
  const column = (title: string, cell: (setting: EffectiveSetting) => string) => ({
    title,
    cells: settings.map((setting) => scrub(cell(setting))),
  });
  return columnLines(
    [
      { ...column('setting', ({ setting }) => setting), rank: 0 },
      { ...column('value', ({ value }) => valueText(value)), rank: 1, isFlexible: true },
      { ...column('from', originText), rank: 2 },
    ],
    width,
  );
}

/** Where a value comes from, and which laxer one of the project has no effect beside it. */
function originText({ source, where, overrules }: EffectiveSetting): string {
  return `${where ?? source}${overrules === undefined ? '' : ` (stricter than ${overrules})`}`;
}

function valueText(value: unknown): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/\s+/gu, ' ');
}

async function explain(key: string | undefined, { options }: Invocation, { stdout }: Surroundings): Promise<void> {
  const all = describeSettings();
  const found =
    key === undefined
      ? all
      : all.filter(({ path }) => path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[]`));
  if (found.length === 0) throw new LoopError(unknownSetting(key ?? '', all));
  const [first] = found;
  const isOne = key !== undefined && first !== undefined && !first.isGroup;
  if (options['json'] === true) {
    stdout.write(jsonLine(isOne ? await withNames(first) : { settings: await Promise.all(found.map(withNames)) }));
    return;
  }
  if (isOne) printLines(stdout, await explanationLines(first, found.slice(1), stdout));
  else
    printLines(
      stdout,
      found.flatMap(({ path, meaning }) => [paintFor(stdout).bold(path), `  ${meaning}`]),
    );
}

function unknownSetting(key: string, all: readonly SettingDescription[]) {
  const paths = all.map(({ path }) => path);
  const lastNames = new Map(paths.map((path) => [path.split('.').at(-1) ?? path, path]));
  const meant = nearest(key, paths) ?? lastNames.get(nearest(key, lastNames.keys()) ?? '');
  return failures.configUnknownKey(key, 'on the command line', meant);
}

/** A description with everything that sets the setting. */
async function withNames(description: SettingDescription) {
  const { path, example } = description;
  const isSetting = listSettings().some((setting) => setting.path === path);
  const variable = isSetting ? settingVariable(path) : undefined;
  const flags = flagsFor(path);
  return {
    ...description,
    flags,
    ...(variable === undefined ? {} : { variable }),
    ...(example === undefined ? {} : { yaml: await settingAsYaml(path, example) }),
  };
}

function flagsFor(path: string): readonly string[] {
  const run = commandDefinitions.find(({ name }) => name === 'run');
  return run === undefined ? [] : run.options.filter(({ setting }) => setting === path).map(flagsOf);
}

async function explanationLines(
  description: SettingDescription,
  members: readonly SettingDescription[],
  stream: NodeJS.WriteStream,
): Promise<readonly string[]> {
  const paint = paintFor(stream);
  const { path, meaning, type, default: value } = description;
  const { flags, variable, yaml } = await withNames(description);
  const row = (name: string, text: string | undefined) =>
    text === undefined || text === '' ? [] : [`  ${paint.dim(name.padEnd(8))} ${text}`];
  const [example, ...more] = yaml?.split('\n') ?? [];
  return [
    paint.bold(path),
    `  ${meaning}`,
    ...row('type', type),
    ...row('default', value === undefined ? 'none' : valueText(value)),
    ...row('flag', flags.join(', ')),
    ...row('variable', variable),
    ...row('project', projectText(path)),
    ...row('example', example),
    ...more.map((line) => `${' '.repeat(11)}${line}`),
    ...memberLines(members, path),
  ];
}

const asksText: Readonly<Record<Asks, string>> = {
  runs: 'runs only once you trust it (ralphd trust)',
  sends: 'is used only once you trust it (ralphd trust)',
  place: 'needs your trust (ralphd trust) if it leads out of the project',
  weakens: 'needs your trust (ralphd trust) if it is laxer than the default',
};

/** What a project's file may do with a setting. */
function projectText(path: string): string | undefined {
  if (!listSettings().some((setting) => setting.path === path)) return undefined;
  const { asks, stricter } = reachOf(path);
  const parts = [
    ...(asks === undefined ? [] : [`a value in ralphd.yml ${asksText[asks]}`]),
    ...(stricter === undefined ? [] : ['a laxer one does not replace what your own file sets']),
  ];
  return parts.length === 0 ? undefined : parts.join('; ');
}

/** The fields of the items of a list. */
function memberLines(members: readonly SettingDescription[], path: string): readonly string[] {
  const names = members.map((member) => member.path.slice(path.length));
  const width = Math.max(0, ...names.map((name) => name.length));
  return members.map(({ type, meaning }, index) => `  ${(names[index] ?? '').padEnd(width)}  ${meaning} (${type})`);
}
