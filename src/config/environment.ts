import { nearest } from '../base/index.ts';
import { type ConfigSetting, childVariables } from '../protocol/index.ts';
import { readSettingText } from './setting-text.ts';
import { type ConfigSource, setAt } from './source.ts';

/** Environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

const prefix = 'RALPHD_';

// Variables that ralphd passes to the processes it starts, or that control it without being settings of a loop.
// A loop's id is among them: a ralphd inside an agent that inherits it would use the wrong loop.
const ownVariables: ReadonlySet<string> = new Set([
  ...Object.keys(childVariables),
  'RALPHD_BACKGROUND',
  'RALPHD_FROM_PAGE',
  'RALPHD_DEBUG',
  'RALPHD_HANGUP',
  'RALPHD_KEY',
  'RALPHD_KEY_FILE',
  'RALPHD_KEEPER',
  'RALPHD_LAUNCHER',
]);

/** An unknown `RALPHD_*` variable, and the one that was probably meant. */
export interface UnknownVariable {
  readonly name: string;
  readonly meant?: string;
}

/** The variable that sets a setting: `RALPHD_ITERATION_TIMEOUT` for `iteration.timeout`; a loop's id has none. */
export function settingVariable(path: string): string | undefined {
  const words = path.replaceAll('.', '_').replace(/[A-Z]/g, (letter) => `_${letter}`);
  const variable = prefix + words.toUpperCase();
  return isOwnVariable(variable) ? undefined : variable;
}

/** Whether any variable sets or seems to set a setting. */
export function hasSettings(env: Environment): boolean {
  return Object.entries(env).some(([name, text]) => name.startsWith(prefix) && text !== '' && !isOwnVariable(name));
}

/** Reads the settings from `RALPHD_*` variables. An empty variable counts as not set. */
export function environmentSource(
  env: Environment,
  settings: readonly ConfigSetting[],
): ConfigSource & { readonly unknown: readonly UnknownVariable[] } {
  const given = Object.entries(env).filter(([name, text]) => name.startsWith(prefix) && text !== '');
  const values: Record<string, unknown> = {};
  const byVariable = new Map(settings.map((setting) => [settingVariable(setting.path), setting]));
  const unknown: UnknownVariable[] = [];
  for (const [variable, text = ''] of given) {
    const setting = byVariable.get(variable);
    if (setting !== undefined) setAt(values, setting.path.split('.'), readSettingText(setting.form, text));
    else if (!isOwnVariable(variable)) unknown.push(unknownVariable(variable, byVariable.keys()));
  }
  return { kind: 'env', values, locate: (path) => locate(path, settings), unknown };
}

function locate(path: readonly PropertyKey[], settings: readonly ConfigSetting[]): string {
  const full = path.join('.');
  const setting = settings.find((each) => full === each.path || full.startsWith(`${each.path}.`));
  return settingVariable(setting?.path ?? full) ?? full;
}

// It may belong to a later version or to the user, so it is reported, not refused.
function unknownVariable(name: string, known: Iterable<string | undefined>): UnknownVariable {
  const names = [...known].flatMap((each) => (each === undefined ? [] : [each.slice(prefix.length)]));
  const meant = nearest(name.slice(prefix.length), names);
  return { name, ...(meant === undefined ? {} : { meant: prefix + meant }) };
}

function isOwnVariable(variable: string): boolean {
  return ownVariables.has(variable) || /^RALPHD_[A-Z0-9]+_BINARY$/.test(variable);
}
