import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { ParsedCheck } from '../../core/index.ts';
import { isReplaceable, realPathOf } from './installed.ts';
import { maxPrograms } from './search-folder.ts';
import { isInside, treeOf, withParents } from './tree.ts';

/** The commands of a line, and whether a package manager runs them. */
export interface SearchingLine {
  readonly commands: ParsedCheck['commands'];
  readonly folder: string;
  readonly isScript: boolean;
}

interface SearchPlace {
  readonly workFolder: string;
  readonly PATH: string;
}

const packageManagers = /^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|corepack|turbo|nx|lerna)$/;
const pythonLaunchers = /^(?:uv|uvx|poetry|pipenv|pdm|hatch|rye)$/;
const inEnvironment = /(?:^|\/)\.?venv\/bin\//;
const inVendor = /(?:^|\/)vendor\/bin\//;
/** As root these are writable too; of their programs only those that the checks name are guarded, one by one. */
const systemFolders: ReadonlySet<string> = new Set(['/bin', '/sbin', '/usr/bin', '/usr/sbin']);

/** The folders in which the checks, and what they start, search for programs, and which an agent can write to. */
export function searchedFolders(lines: readonly SearchingLine[], { workFolder, PATH }: SearchPlace): readonly string[] {
  const at = (folder: string) => path.resolve(workFolder, folder);
  const own = lines.flatMap(({ commands, folder, isScript }) => {
    const scripts = isScript ? binFolders(at(folder)) : [];
    return [...scripts, ...commands.flatMap((command) => installedFor(command, workFolder))];
  });
  const from = new Set(['', ...lines.flatMap(({ commands }) => commands.map(({ folder }) => folder))].map(at));
  const set = lines.flatMap(({ commands }) => commands.flatMap(({ paths = [] }) => paths));
  const onPath = [PATH, ...new Set(set)]
    .flatMap((each) => each.split(path.delimiter))
    .flatMap((entry) => (path.isAbsolute(entry) ? [entry] : [...from].map((folder) => path.resolve(folder, entry))));
  const tree = treeOf(workFolder);
  const searched = [...new Set([...own, ...onPath.filter(isReachable(tree))])];
  return searched.map((folder) => (isInside(tree, folder) ? path.relative(workFolder, folder) : folder));
}

/** Every `node_modules/.bin` that npm puts on the PATH of a script. */
export function binFolders(folder: string): readonly string[] {
  return withParents(folder).map((place) => path.join(place, 'node_modules/.bin'));
}

function installedFor({ folder, words }: ParsedCheck['commands'][number], workFolder: string): readonly string[] {
  const from = path.resolve(workFolder, folder);
  const [program = ''] = words;
  const name = path.basename(program);
  const isPython = pythonLaunchers.test(name) || words.some((word) => inEnvironment.test(word));
  const named = words.filter((word) => word.includes('/')).map((word) => path.dirname(path.resolve(from, word)));
  const isVendor = name === 'composer' || words.some((word) => inVendor.test(word));
  return [
    ...(packageManagers.test(name) ? binFolders(from) : []),
    ...(isPython
      ? [...new Set([from, workFolder])].flatMap((at) => ['.venv/bin', 'venv/bin'].map((each) => path.join(at, each)))
      : []),
    ...named.filter((place) => environmentOf(place) !== undefined),
    ...(isVendor ? [path.join(from, 'vendor/bin')] : []),
  ];
}

/** The virtual environment that a `bin` folder belongs to. */
export function environmentOf(bin: string): string | undefined {
  const environment = path.dirname(bin);
  return path.basename(bin) === 'bin' && existsSync(path.join(environment, 'pyvenv.cfg')) ? environment : undefined;
}

function isReachable(tree: string): (folder: string) => boolean {
  return (folder) => {
    const real = realPathOf(folder) ?? folder;
    if (isInside(tree, folder) || isInside(tree, real)) return true;
    if (systemFolders.has(real) || !isReplaceable(real)) return false;
    return countIn(real) <= maxPrograms;
  };
}

function countIn(folder: string): number {
  try {
    return readdirSync(folder).length;
  } catch {
    return 0;
  }
}
