import { readdirSync } from 'node:fs';
import path from 'node:path';
import { filesInEnvironment, type GateWords, profilesRead, shellProfiles, steersOf } from '../../core/index.ts';
import type { CheckCommand } from '../../protocol/index.ts';
import type { GuardPlan } from './guards.ts';
import { environmentOf } from './search-places.ts';

/** Where the gate will run. */
export interface GatePlace {
  readonly workingDirectory: string;
  readonly env: NodeJS.ProcessEnv;
}

type Steers = GuardPlan['steers'];

/** Settings that affect a command: seen from where it runs, and from the work folder, where many tools look too. */
export function steersFor({ commands }: GateWords, { workingDirectory, env }: GatePlace): Steers {
  return commands.flatMap(({ folder, words }) =>
    steersOf(words).flatMap(({ name, mode }) => {
      if (name.startsWith('~/')) return inHome(name, mode, env);
      const places = mode === 'appear' ? [folder] : new Set([folder, '']);
      const above = name.startsWith('.cargo/') ? foldersAbove(workingDirectory) : [];
      return [...places, ...above].map((place) => ({ folder: place, name, mode }));
    }),
  );
}

/** Cargo takes its settings from every folder above, too. */
function foldersAbove(folder: string): readonly string[] {
  const above = path.dirname(folder);
  return above === folder ? [] : [above, ...foldersAbove(above)];
}

/** Profiles of the user that a line has its shells read before the check. */
export function profileSteers(line: CheckCommand, { env }: GatePlace): Steers {
  return profilesRead(line).flatMap((name) => inHome(name, 'refuse', env));
}

/** Settings that affect everything: of shells, of the environment's variables, and of virtual environments. */
export function steersAround(searched: readonly string[], { workingDirectory, env }: GatePlace): Steers {
  const variables = filesInEnvironment(env).map((name) => path.resolve(workingDirectory, name));
  const environments = searched.flatMap((folder) => environmentOf(path.resolve(workingDirectory, folder)) ?? []);
  return [
    ...variables.map((name) => ({ folder: '', name, mode: 'refuse' as const })),
    ...shellProfiles.flatMap((name) => inHome(name, 'report', env)),
    ...environments.flatMap((environment) => environmentSteers(path.relative(workingDirectory, environment))),
  ].flatMap((steer) => expanded(steer, workingDirectory));
}

function inHome(name: string, mode: Steers[number]['mode'], env: NodeJS.ProcessEnv): Steers {
  const home = env['HOME'];
  if (home === undefined || !path.isAbsolute(home)) return [];
  return expanded({ folder: '', name: path.join(home, name.slice(2)), mode }, '/');
}

/** What python reads before any program of a virtual environment. */
function environmentSteers(environment: string): Steers {
  const packages = path.join(environment, 'lib/python*/site-packages');
  return [
    { folder: '', name: path.join(environment, 'pyvenv.cfg#interpreter'), mode: 'refuse' },
    ...startFiles.map((name) => ({ folder: '', name: path.join(packages, name), mode: 'report' as const })),
  ];
}

const startFiles = ['*.pth', 'sitecustomize.py', 'usercustomize.py'];

/** One for each folder that a name such as `lib/python*` stands for. */
function expanded(steer: Steers[number], from: string): Steers {
  const [, above, star, rest] = /^(.*\/)([^/]*\*)(\/.+)$/.exec(steer.name) ?? [];
  if (above === undefined || star === undefined || rest === undefined) return [steer];
  const there = entriesOf(path.resolve(from, above)).filter((name) => name.startsWith(star.slice(0, -1)));
  // A folder of packages that is not there yet would be read all the same once it is.
  const names = there.length === 0 && star === 'python*' ? pythonFolders : there;
  return names.map((name) => ({ ...steer, name: `${above}${name}${rest}` }));
}

const pythonFolders = Array.from({ length: 10 }, (_each, index) => `python3.${index + 8}`);

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
