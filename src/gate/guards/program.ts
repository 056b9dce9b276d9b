import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { readSmallFile, toRaw } from '../../workspace/index.ts';
import { fileDigest, hash } from './file-digest.ts';
import { isInside, treeOf, upwards } from './tree.ts';

/** Which program a word stands for, and where it is looked for. */
export interface ProgramName {
  /** Seen from the work folder. */
  readonly folder: string;
  readonly name: string;
  /** `path`: as a shell does. `bin`: as a package script does. `run`: as `npx`, `uv run` and the like do. */
  readonly by: 'path' | 'bin' | 'run';
}

/** Where a search begins, and the folders that a shell searches. */
export interface ProgramPlace {
  readonly workFolder: string;
  readonly PATH: string;
}

/** What a word stands for: a program in the work tree as it is, one from outside, or none. */
export type Program =
  | { readonly kind: 'outside' | 'none' }
  | { readonly kind: 'inside'; readonly file: string; readonly digest: string; readonly version: string };

const installedIn = {
  path: [],
  bin: ['node_modules/.bin'],
  run: ['node_modules/.bin', '.venv/bin', 'venv/bin', 'vendor/bin'],
} as const;
const isInstalled = /\/(?:node_modules|\.venv|venv|vendor)\//;
const unknownVersion = '-';

/** Finds a program as the command would. Of one inside the work tree the file that it leads to counts. */
export function findProgram({ folder, name, by }: ProgramName, { workFolder, PATH }: ProgramPlace): Program {
  const from = path.resolve(workFolder, folder);
  const tree = realOf(treeOf(workFolder)) ?? workFolder;
  const own = upwards(workFolder, from).flatMap((place) => installedIn[by].map((each) => path.join(place, each)));
  const onPath = PATH.split(path.delimiter).map((each) => path.resolve(from, each));
  const hit = [...own, ...onPath].map((place) => path.join(place, name)).find(isExecutable);
  if (hit === undefined) return { kind: 'none' };
  const named = path.join(realOf(path.dirname(hit)) ?? path.dirname(hit), name);
  if (!isInside(tree, named)) return { kind: 'outside' };
  const real = realOf(hit) ?? hit;
  return {
    kind: 'inside',
    file: path.relative(realOf(workFolder) ?? workFolder, named),
    // What a package script runs of the tree itself is the work; what a check names is the check.
    digest: hash(`${path.relative(tree, real)} ${by === 'path' || isInstalled.test(real) ? contentOf(real) : ''}`),
    version: versionOf(real),
  };
}

/** Runtimes and compilers are large: one is read again only when it was touched, which the system notes by itself. */
function contentOf(file: string): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  const looks = `${stats?.ino} ${stats?.size} ${stats?.ctimeNs}`;
  const known = read.get(file);
  if (known?.looks === looks) return known.digest;
  const digest = fileDigest(file);
  if (read.size >= mostRead) read.clear();
  read.set(file, { looks, digest });
  return digest;
}

const mostRead = 1_000;
const read = new Map<string, { readonly looks: string; readonly digest: string }>();

/** A program as one text, and the other way round. */
export function programText(program: Program): string {
  return program.kind === 'inside' ? `inside ${program.version} ${program.digest} ${program.file}` : program.kind;
}

/** The file of a program that was found inside the work tree. */
export function programFile(text: string): string | undefined {
  return /^inside \S+ \S+ (.*)$/s.exec(text)?.[1];
}

/**
 * What it means that a program is another one. One that was installed only now, or in another version, may be honest
 * work; other bytes under the same version are not, nor is a file that takes the place of a program of the system.
 */
export function programChange(before: string, now: string, by: ProgramName['by']): 'same' | 'doubt' | 'tampered' {
  const [was = '', version] = before.split(' ');
  const [is = '', versionNow] = now.split(' ');
  if (before === now || (was !== 'inside' && is !== 'inside')) return 'same';
  if (is !== 'inside' || was === 'none') return 'doubt';
  const isKnown = versionNow !== unknownVersion;
  if (was === 'outside') return isKnown || by === 'run' ? 'doubt' : 'tampered';
  return isKnown && version !== unknownVersion && version !== versionNow ? 'doubt' : 'tampered';
}

/** The version of the package that a file belongs to; a shell stub of a package manager leads to one. */
function versionOf(file: string): string {
  const stub = file.includes('/node_modules/.bin/') ? stubTarget(file) : undefined;
  const owner = /^.*\/node_modules\/(?:@[^/]+\/)?[^/.@][^/]*(?=\/)/s.exec(stub ?? file)?.[0];
  if (owner === undefined) return unknownVersion;
  try {
    const manifest: unknown = JSON.parse(
      readSmallFile(toRaw(path.join(owner, 'package.json')))?.toString('utf8') ?? '',
    );
    const version: unknown =
      typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, 'version') : undefined;
    return typeof version === 'string' && /^\S+$/.test(version) ? version : unknownVersion;
  } catch {
    return unknownVersion;
  }
}

function stubTarget(file: string): string | undefined {
  const text = readSmallFile(toRaw(file), 16_384)?.toString('utf8') ?? '';
  const target = /"\$basedir\/([^"]+)"/.exec(text)?.[1];
  return target === undefined ? undefined : realOf(path.resolve(path.dirname(file), target));
}

function realOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
