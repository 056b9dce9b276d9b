import { failures, LoopError, nearest } from '../base/index.ts';
import type { ConfigSetting } from '../protocol/index.ts';
import { readSettingText } from './setting-text.ts';
import { type ConfigSource, setAt } from './source.ts';

/** Environment variables as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

const prefix = 'RALPHD_';

// Variables that ralphd passes to the processes it starts, or that control it without being settings of a loop.
// A loop's id is among them: inherited by a ralphd inside an agent it would name the wrong loop.
const ownVariables: ReadonlySet<string> = new Set([
  'RALPHD_ATTEMPT',
  'RALPHD_CONDITION',
  'RALPHD_DEBUG',
  'RALPHD_HOOK',
  'RALPHD_HOOK_POINT',
  'RALPHD_ITERATION',
  'RALPHD_LAUNCHER',
  'RALPHD_LOOP_ID',
]);

/** The variable that sets a setting: `RALPHD_ITERATION_TIMEOUT` for `iteration.timeout`; a loop's id has none. */
export function settingVariable(path: string): string | undefined {
  const words = path.replaceAll('.', '_').replace(/[A-Z]/g, (letter) => `_${letter}`);
  const variable = prefix + words.toUpperCase();
  return isOwnVariable(variable) ? undefined : variable;
}

/** Whether any variable sets, or seems to set, a setting. */
export function hasSettings(env: Environment): boolean {
  return Object.entries(env).some(([name, text]) => name.startsWith(prefix) && text !== '' && !isOwnVariable(name));
}

/** Reads the settings out of `RALPHD_*` variables. A variable that is empty counts as not set. */
export function environmentSource(env: Environment, settings: readonly ConfigSetting[]): ConfigSource {
  const given = Object.entries(env).filter(([name, text]) => name.startsWith(prefix) && text !== '');
  const values: Record<string, unknown> = {};
  const byVariable = new Map(settings.map((setting) => [settingVariable(setting.path), setting]));
  for (const [variable, text = ''] of given) {
    const setting = byVariable.get(variable);
    if (setting === undefined) refuseSlip(variable, byVariable.keys());
    else setAt(values, setting.path.split('.'), readSettingText(setting.form, text));
  }
  return { kind: 'env', values, locate: (path) => locate(path, settings) };
}

function locate(path: readonly PropertyKey[], settings: readonly ConfigSetting[]): string {
  const full = path.join('.');
  const setting = settings.find((each) => full === each.path || full.startsWith(`${each.path}.`));
  return settingVariable(setting?.path ?? full) ?? full;
}

// Other RALPHD_* variables may belong to a later version or to the user; only a likely misspelling is refused.
function refuseSlip(variable: string, known: Iterable<string | undefined>): void {
  if (isOwnVariable(variable)) return;
  const names = [...known].flatMap((name) => (name === undefined ? [] : [name.slice(prefix.length)]));
  const meant = nearest(variable.slice(prefix.length), names);
  if (meant !== undefined) throw new LoopError(failures.configUnknownVariable(variable, prefix + meant));
}

function isOwnVariable(variable: string): boolean {
  return ownVariables.has(variable) || /^RALPHD_[A-Z0-9]+_BINARY$/.test(variable);
}
