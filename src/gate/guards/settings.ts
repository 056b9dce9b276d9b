import { readdirSync } from 'node:fs';
import path from 'node:path';
import {
  filesLoadedByEnvironment,
  type ParsedCheck,
  profilesReadBy,
  settingsFilesOf,
  shellProfiles,
} from '../../core/index.ts';
import type { CheckCommand } from '../../protocol/index.ts';
import type { GuardPlan } from './guards.ts';
import { environmentOf } from './search-places.ts';

/** Where the gate runs. */
export interface GatePlace {
  readonly workingDirectory: string;
  readonly env: NodeJS.ProcessEnv;
}

type Settings = GuardPlan['settings'];

/** Settings files of commands: in the folder of the command, and in the work folder, where many tools search too. */
export function settingsOfCommands({ commands }: ParsedCheck, { workingDirectory, env }: GatePlace): Settings {
  return commands.flatMap(({ folder, words }) =>
    settingsFilesOf(words).flatMap(({ name, mode }) => {
      if (name.startsWith('~/')) return inHome(name, mode, env);
      const places = mode === 'appear' ? [folder] : new Set([folder, '']);
      const above = name.startsWith('.cargo/') ? foldersAbove(workingDirectory) : [];
      return [...places, ...above].map((place) => ({ folder: place, name, mode }));
    }),
  );
}

/** Cargo also reads settings from every parent folder. */
function foldersAbove(folder: string): readonly string[] {
  const above = path.dirname(folder);
  return above === folder ? [] : [above, ...foldersAbove(above)];
}

/** The user's profiles that the shells of a line read first. */
export function settingsOfProfiles(line: CheckCommand, { env }: GatePlace): Settings {
  return profilesReadBy(line).flatMap((name) => inHome(name, 'refuse', env));
}

/** Settings that affect every command: shell profiles, files named by variables, and virtual environments. */
export function settingsOfEnvironment(searched: readonly string[], { workingDirectory, env }: GatePlace): Settings {
  const variables = filesLoadedByEnvironment(env).map((name) => path.resolve(workingDirectory, name));
  const environments = searched.flatMap((folder) => environmentOf(path.resolve(workingDirectory, folder)) ?? []);
  return [
    ...variables.map((name) => ({ folder: '', name, mode: 'refuse' as const })),
    ...shellProfiles.flatMap((name) => inHome(name, 'report', env)),
    ...environments.flatMap((environment) => settingsOfPython(path.relative(workingDirectory, environment))),
  ].flatMap((setting) => expanded(setting, workingDirectory));
}

function inHome(name: string, mode: Settings[number]['mode'], env: NodeJS.ProcessEnv): Settings {
  const home = env['HOME'];
  if (home === undefined || !path.isAbsolute(home)) return [];
  return expanded({ folder: '', name: path.join(home, name.slice(2)), mode }, '/');
}

/** The files that Python reads before any program of a virtual environment. */
function settingsOfPython(environment: string): Settings {
  const packages = path.join(environment, 'lib/python*/site-packages');
  return [
    { folder: '', name: path.join(environment, 'pyvenv.cfg#interpreter'), mode: 'refuse' },
    ...startFiles.map((name) => ({ folder: '', name: path.join(packages, name), mode: 'report' as const })),
  ];
}

const startFiles = ['*.pth', 'sitecustomize.py', 'usercustomize.py'];

/** One for each folder that a name such as `lib/python*` matches. */
function expanded(setting: Settings[number], from: string): Settings {
  const [, above, star, rest] = /^(.*\/)([^/]*\*)(\/.+)$/.exec(setting.name) ?? [];
  if (above === undefined || star === undefined || rest === undefined) return [setting];
  const existing = entriesOf(path.resolve(from, above)).filter((name) => name.startsWith(star.slice(0, -1)));
  // A package folder that does not exist yet is read as soon as it does.
  const names = existing.length === 0 && star === 'python*' ? pythonFolders : existing;
  return names.map((name) => ({ ...setting, name: `${above}${name}${rest}` }));
}

const pythonFolders = Array.from({ length: 10 }, (_each, index) => `python3.${index + 8}`);

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
