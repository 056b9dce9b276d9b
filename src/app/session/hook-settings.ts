import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import { sessionCeiling } from '../../core/index.ts';
import { look, nodeFiles, putUserFile, readUserFile, removeUserFile } from '../../files/index.ts';
import { addToJson, type JsonPath, removeFromJson } from '../../formats/index.ts';

/** The agents that can run a loop in a session. */
export const hookAgents = ['claude', 'codex'] as const;
/** An agent that can run a loop in a session. */
export type HookAgent = (typeof hookAgents)[number];
/** Whose sessions get the hook: those in one project, or all of a user. */
export type HookScope = 'project' | 'user';

/** Where a hook is set up. */
export interface HookPlace {
  readonly agent: HookAgent;
  readonly scope: HookScope;
  /** The folder of the project. */
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The hook of one agent in one file of settings. */
export interface HookState {
  readonly agent: HookAgent;
  readonly scope: HookScope;
  readonly file: string;
  /** The command that it runs; missing if it is not installed. */
  readonly command?: string;
}

/** What a change of the settings came to. */
export interface HookChange extends HookState {
  readonly change: 'installed' | 'updated' | 'unchanged' | 'removed' | 'restored' | 'absent';
  /** The copy of the settings before the hook was installed. */
  readonly backup?: string;
}

/** The file with an agent's settings for hooks. Those of a project are not meant to be committed. */
function hookFile({ agent, scope, project, env }: HookPlace): string {
  const home = env['HOME'] ?? '';
  if (agent === 'claude') {
    return scope === 'project'
      ? path.join(project, '.claude/settings.local.json')
      : path.join(env['CLAUDE_CONFIG_DIR'] || path.join(home, '.claude'), 'settings.json');
  }
  return path.join(
    scope === 'project' ? path.join(project, '.codex') : env['CODEX_HOME'] || path.join(home, '.codex'),
    'hooks.json',
  );
}

/** Whether the hook is installed there. */
export function readHook(place: HookPlace): HookState {
  const file = hookFile(place);
  const text = readSettings(place, file);
  const command = text === undefined ? undefined : ownCommand(file, text);
  return { agent: place.agent, scope: place.scope, file, ...(command === undefined ? {} : { command }) };
}

/** Adds the hook to the agent's settings, or replaces an older one. Everything else in the file stays as it is. */
export function installHook(
  place: HookPlace,
  hook: { readonly command: string; readonly timeoutSeconds: number },
): HookChange {
  const { agent, scope } = place;
  const file = hookFile(place);
  const before = readSettings(place, file);
  const state = { agent, scope, file, command: hook.command };
  const installed = before === undefined ? undefined : ownCommand(file, before);
  const base = installed === undefined || before === undefined ? before : withoutHook(before, agent);
  const after = withHook(file, base ?? emptySettings, { agent, ...hook });
  if (after === before) return { ...state, change: 'unchanged' };
  const backup = backupOf(file);
  if (before !== undefined && installed === undefined) putUserFile(backup, before);
  putUserFile(file, after);
  const kept = look(nodeFiles, backup) === undefined ? {} : { backup };
  return { ...state, ...kept, change: installed === undefined ? 'installed' : 'updated' };
}

/** Removes the hook. Settings that did not change since it was installed are restored byte for byte. */
export function removeHook(place: HookPlace): HookChange {
  const { agent, scope } = place;
  const file = hookFile(place);
  const text = readSettings(place, file);
  const command = text === undefined ? undefined : ownCommand(file, text);
  if (text === undefined || command === undefined) return { agent, scope, file, change: 'absent' };
  const backup = readUserFile(backupOf(file));
  const timeoutSeconds = ownEntries(settingsIn(file, text))[0]?.timeout ?? 0;
  const isAsInstalled = withHook(file, backup ?? emptySettings, { agent, command, timeoutSeconds }) === text;
  if (!isAsInstalled) putUserFile(file, withoutHook(text, agent));
  else if (backup === undefined) removeUserFile(file);
  else putUserFile(file, backup);
  removeUserFile(backupOf(file));
  return { agent, scope, file, change: isAsInstalled ? 'restored' : 'removed' };
}

const emptySettings = '{}\n';
const capVariable = 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP';
const ownPattern = / hook run (?:claude|codex) --timeout \d+s$/u;

function backupOf(file: string): string {
  return `${file}.before-ralphd`;
}

/** The settings as text, if there are any; refuses links, also in place of the project's folder. */
function readSettings({ scope }: HookPlace, file: string): string | undefined {
  const places = scope === 'project' ? [path.dirname(file), file] : [file];
  for (const each of places) {
    const kind = look(nodeFiles, each)?.kind;
    if (kind === undefined) return undefined;
    if (kind !== (each === file ? 'file' : 'folder')) throw new LoopError(failures.hookSettingsUnsafe(each));
  }
  return readUserFile(file);
}

interface Entry {
  readonly path: JsonPath;
  readonly command: string;
  readonly timeout: number;
}

type Fields = Readonly<Record<string, unknown>>;

function settingsIn(file: string, text: string): Fields {
  let settings: unknown;
  try {
    settings = JSON.parse(text);
  } catch (error) {
    throw new LoopError(failures.hookSettingsInvalid(file, 'it is not JSON'), { cause: error });
  }
  if (!isObject(settings)) throw new LoopError(failures.hookSettingsInvalid(file, 'it is not a JSON object'));
  const { hooks = {}, env = {} } = settings;
  if (!isObject(hooks)) throw new LoopError(failures.hookSettingsInvalid(file, '"hooks" is not an object'));
  if (!Array.isArray(hooks['Stop'] ?? [])) {
    throw new LoopError(failures.hookSettingsInvalid(file, '"hooks.Stop" is not a list'));
  }
  if (!isObject(env)) throw new LoopError(failures.hookSettingsInvalid(file, '"env" is not an object'));
  return settings;
}

function ownCommand(file: string, text: string): string | undefined {
  return ownEntries(settingsIn(file, text))[0]?.command;
}

/** The entries that ralphd made; an entry of another hook is never touched. */
function ownEntries({ hooks }: Fields): readonly Entry[] {
  const groups = isObject(hooks) && Array.isArray(hooks['Stop']) ? (hooks['Stop'] as readonly unknown[]) : [];
  return groups.flatMap((group, index) => {
    const inner = isObject(group) && Array.isArray(group['hooks']) ? (group['hooks'] as readonly unknown[]) : [];
    const [only] = inner;
    if (inner.length !== 1 || !isObject(only) || typeof only['command'] !== 'string') return [];
    const { command, timeout } = only;
    if (typeof command !== 'string' || !ownPattern.test(command)) return [];
    return [{ path: ['hooks', 'Stop', index], command, timeout: typeof timeout === 'number' ? timeout : 0 }];
  });
}

function withHook(
  file: string,
  text: string,
  {
    agent,
    command,
    timeoutSeconds,
  }: { readonly agent: HookAgent; readonly command: string; readonly timeoutSeconds: number },
): string {
  const { hooks, env } = settingsIn(file, text);
  const group = { hooks: [{ type: 'command', command, timeout: timeoutSeconds }] };
  const stops = isObject(hooks) ? hooks['Stop'] : undefined;
  let edited = text;
  if (Array.isArray(stops)) edited = addToJson(edited, ['hooks', 'Stop'], { value: group });
  else if (isObject(hooks)) edited = addToJson(edited, ['hooks'], { name: 'Stop', value: [group] });
  else edited = addToJson(edited, [], { name: 'hooks', value: { Stop: [group] } });
  // Claude Code overrides a hook after eight blocks in a row.
  if (agent !== 'claude' || (isObject(env) && capVariable in env)) return edited;
  const cap = String(sessionCeiling);
  return isObject(env)
    ? addToJson(edited, ['env'], { name: capVariable, value: cap })
    : addToJson(edited, [], { name: 'env', value: { [capVariable]: cap } });
}

function withoutHook(text: string, agent: HookAgent): string {
  let edited = text;
  for (const { path: entry } of ownEntries(JSON.parse(text) as Fields).toReversed())
    edited = removeFromJson(edited, entry);
  edited = withoutEmpty(edited, ['hooks', 'Stop']);
  edited = withoutEmpty(edited, ['hooks']);
  const { env } = JSON.parse(edited) as Fields;
  if (agent !== 'claude' || !isObject(env) || env[capVariable] !== String(sessionCeiling)) return edited;
  return withoutEmpty(removeFromJson(edited, ['env', capVariable]), ['env']);
}

function withoutEmpty(text: string, at: readonly string[]): string {
  const found = at.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), JSON.parse(text));
  const isEmpty = typeof found === 'object' && found !== null && Object.keys(found).length === 0;
  return isEmpty ? removeFromJson(text, at) : text;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
