import { isUtf8 } from 'node:buffer';
import { lstatSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import type { Environment } from './environment.ts';
import type { ConfigSource } from './source.ts';
import { parseYamlFile } from './yaml-file.ts';

const maxFileBytes = 1_048_576;

/** Where to search for configuration files. */
export interface FilePlaces {
  readonly cwd: string;
  readonly env: Environment;
  /** Read instead of the project's file; it must exist. */
  readonly configFile?: string | undefined;
}

/** A configuration file as a source of settings. */
export interface FileSource extends ConfigSource {
  /** Absolute. */
  readonly file: string;
}

/** Reads the existing configuration files of the project and the user, in order of precedence. */
export async function fileSources(places: FilePlaces): Promise<readonly FileSource[]> {
  const { project, user } = findFiles(places);
  const sources: FileSource[] = [];
  if (project !== undefined) sources.push(await readSource('project', project, places.cwd));
  if (user !== undefined && user !== project) sources.push(await readSource('user', user, places.cwd));
  return sources;
}

/** The paths of the existing configuration files of the project and the user. */
export function findFiles({ cwd, env, configFile }: FilePlaces) {
  const project =
    configFile === undefined
      ? findFile([path.resolve(cwd, 'ralphd.yml'), path.resolve(cwd, 'ralphd.yaml')])
      : path.resolve(cwd, configFile);
  const folder = userFolder(env);
  const user = folder && findFile([path.join(folder, 'config.yml'), path.join(folder, 'config.yaml')]);
  return { project, user };
}

function userFolder(env: Environment): string | undefined {
  const { XDG_CONFIG_HOME: xdg, HOME: home } = env;
  // The XDG specification says to ignore a relative path.
  if (xdg !== undefined && path.isAbsolute(xdg)) return path.join(xdg, 'ralphd');
  return home === undefined || home === '' ? undefined : path.join(home, '.config', 'ralphd');
}

function findFile(candidates: readonly [string, string]): string | undefined {
  const [first, second] = candidates.map(exists);
  if (first && second) throw new LoopError(failures.configAmbiguous(...candidates));
  return first ? candidates[0] : second ? candidates[1] : undefined;
}

// Synchronous, because starting the thread pool takes longer than the check.
function exists(file: string): boolean {
  try {
    // A link that leads nowhere counts, so that it is reported and not ignored.
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(errorCode(error));
  }
}

async function readSource(kind: 'project' | 'user', file: string, cwd: string): Promise<FileSource> {
  const relative = path.relative(cwd, file);
  const name = relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
  const { values, locate } = await parseYamlFile(name, readText(name, file));
  return { kind, file, values, locate };
}

/** The text of a configuration file; `name` is its name in errors. */
export function readText(name: string, file: string): string {
  try {
    // Checked before opening, because opening a pipe would wait for a writer.
    const found = statSync(file);
    if (!found.isFile()) throw unreadable(name, 'it is not a regular file');
    if (found.size > maxFileBytes) throw unreadable(name, 'it is larger than 1 MiB');
    const bytes = readFileSync(file);
    if (!isUtf8(bytes)) throw unreadable(name, 'it is not UTF-8 text');
    return bytes.toString('utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw error instanceof LoopError
      ? error
      : unreadable(name, leadsNowhere(file, error) ? linkCause : causeOf(error), error);
  }
}

function unreadable(name: string, cause: string, error?: unknown): LoopError {
  return new LoopError(failures.configUnreadable(name, cause), { cause: error });
}

const linkCause = 'it is a symbolic link to a file that does not exist';

function leadsNowhere(file: string, error: unknown): boolean {
  return errorCode(error) === 'ENOENT' && lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

const causes: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'its symbolic links go in a circle',
};

function causeOf(error: unknown): string {
  return causes[errorCode(error)] ?? (error instanceof Error ? error.message : String(error));
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
