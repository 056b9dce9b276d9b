import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { nodeFiles, readStart } from '../files/index.ts';
import { findExecutable } from '../process/index.ts';
import type { LoopConfig } from '../protocol/index.ts';

/** What decides which program runs. */
export interface ProgramSetting {
  readonly config: Pick<LoopConfig, 'agent' | 'agentCommand' | 'agentArgs'>;
  readonly workingDirectory: string;
  readonly env: NodeJS.ProcessEnv;
  /** The agent's program. */
  readonly program?: string | undefined;
}

/** Folders that a sandbox replaces by its own; what is needed of them is shown again. */
export const replaced = ['/tmp', '/var/tmp', '/run', '/dev'];
/** Those in which whole programs are installed; in the others, a folder may contain sockets that lead out. */
const temporary = ['/tmp', '/var/tmp', '/dev/shm'];

/** What an agent needs to start of the folders that a sandbox replaces: the PATH, its program, and what its command names. */
export function programPlaces({ config, workingDirectory: cwd, env, program }: ProgramSetting): readonly string[] {
  const search = { PATH: env['PATH'], cwd };
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const programs = program === undefined ? [] : [program, ...interpreters(program, search)];
  const files = programs.flatMap((name) => findExecutable(name, search) ?? []);
  const named = wordsOf(config)
    .map((word) => path.resolve(cwd, word))
    .filter((place) => isBelow(temporary, place) && isFile(place));
  const used = [...folders, ...files, ...named].filter((place) => existsSync(place));
  const places = used.flatMap((place) => [place, realpathSync(place)]).filter((place) => isBelow(replaced, place));
  const shown = places.flatMap((place) => [place, around(place)]);
  // A folder by its real name alone: what is hidden in it would be seen by another one.
  return [...new Set(shown.map((place) => (isFile(place) ? place : realpathSync(place))))];
}

/** A place in the text that is missing only inside a sandbox that shows these places. */
export function hiddenPlaceIn(text: string, shown: readonly string[]): string | undefined {
  const lines = text.split('\n').filter((line) => /not found|no such file|cannot find|can't open/i.test(line));
  const named = lines.flatMap((line) => line.match(/\/(?:tmp|var\/tmp|run|dev)\/[^\s:;,'"`()]+/g) ?? []);
  return named.find((place) => existsSync(place) && !shown.some((each) => `${place}/`.startsWith(`${each}/`)));
}

export function isBelow(folders: readonly string[], place: string): boolean {
  return folders.some((folder) => place.startsWith(`${folder}/`));
}

/** The words of the command that may be files; a shell's quotes are not part of them. */
function wordsOf({ agent, agentCommand = '', agentArgs }: ProgramSetting['config']): readonly string[] {
  const words = typeof agentCommand === 'string' ? agentCommand.split(/[\s'"]+/) : agentCommand;
  return [...(agent === 'command' ? words : []), ...agentArgs].filter((word) => word.includes('/'));
}

/** The packages, the checkout or the prefix that a program is a part of; the place itself where there is none. */
function around(place: string): string {
  const packages = /^.*?\/node_modules(?=\/)/.exec(place)?.[0];
  if (packages !== undefined && isBelow(temporary, packages)) return packages;
  for (let folder = place; isBelow(temporary, folder); folder = path.dirname(folder)) {
    if (['.git', 'package.json'].some((name) => existsSync(path.join(folder, name)))) return folder;
    const prefix = path.dirname(folder);
    if (path.basename(folder) === 'bin' && isBelow(temporary, prefix)) return prefix;
  }
  return place;
}

const firstBytes = 256;

/** The programs in the first line of a script. */
function interpreters(program: string, search: Parameters<typeof findExecutable>[1]): readonly string[] {
  const file = findExecutable(program, search);
  if (file === undefined) return [];
  const words = /^#!\s*(.*)/.exec(startOf(file))?.[1]?.trim().split(/\s+/) ?? [];
  return words.filter((word) => !word.startsWith('-') && !word.includes('='));
}

function startOf(file: string): string {
  try {
    return readStart(nodeFiles, realpathSync(file), Buffer.alloc(firstBytes)).toString();
  } catch {
    // It can be run but not read.
    return '';
  }
}

function isFile(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isFile() ?? false;
}
