import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { readSmallFile, toRaw } from '../../workspace/index.ts';
import { fileDigest, hash } from './file-digest.ts';
import { isInside, treeOf } from './tree.ts';

const isInstalledPath = /\/(?:node_modules|\.venv|venv|vendor)\//;
/** Of a program outside of the work tree that is larger, what the file system says has to do. */
const largestOutside = 16 * 1024 * 1024;

/** The digest of a program by the file that it leads to. What belongs to the work is the work: its content may change. */
export function programDigest(real: string, workFolder: string, isCheck: boolean): string {
  const tree = realOf(treeOf(workFolder)) ?? workFolder;
  if (!isInside(tree, real)) return hash(`${real} ${contentOf(real, largestOutside)}`);
  const content = isCheck || isInstalledPath.test(real) ? contentOf(real) : '';
  return hash(`${path.relative(tree, real)} ${content}`);
}

/** Runtimes and compilers are large: one is read again only when it was touched, which the system notes by itself. */
export function contentOf(file: string, largest = Number.POSITIVE_INFINITY): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  const looks = `${stats?.ino} ${stats?.size} ${stats?.mtimeNs} ${stats?.ctimeNs}`;
  if (stats !== undefined && stats.size > largest) return `looks ${looks}`;
  const known = read.get(file);
  if (known?.looks === looks) return known.digest;
  const digest = fileDigest(file);
  if (read.size >= maxRead) read.clear();
  read.set(file, { looks, digest });
  return digest;
}

const maxRead = 4_000;
const read = new Map<string, { readonly looks: string; readonly digest: string }>();

/** The version of the package that a program belongs to; a shell stub of a package manager leads to one. */
export function versionOf(file: string): string | undefined {
  const stub = file.includes('/node_modules/.bin/') ? stubTarget(file) : undefined;
  const owner = /^.*\/node_modules\/(?:@[^/]+\/)?[^/.@][^/]*(?=\/)/s.exec(stub ?? file)?.[0];
  return owner === undefined ? undefined : manifestVersion(owner);
}

/** The version that the package in a folder gives itself. */
export function manifestVersion(folder: string): string | undefined {
  try {
    const text = readSmallFile(toRaw(path.join(folder, 'package.json')))?.toString('utf8') ?? '';
    const manifest: unknown = JSON.parse(text);
    const version: unknown =
      typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, 'version') : undefined;
    return typeof version === 'string' && /^\S+$/.test(version) ? version : undefined;
  } catch {
    return undefined;
  }
}

function stubTarget(file: string): string | undefined {
  const text = readSmallFile(toRaw(file), 16_384)?.toString('utf8') ?? '';
  const target = /"\$basedir\/([^"]+)"/.exec(text)?.[1];
  return target === undefined ? undefined : realOf(path.resolve(path.dirname(file), target));
}

/** Where a file really is; nothing where there is none. */
export function realOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

/** Whether a file is a program. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Whether this user, and so the agent, could put another file in its place: it, or a folder on the way, is writable. */
export function isReplaceable(file: string): boolean {
  for (let place = file; ; place = path.dirname(place)) {
    if (isWritable(place)) return true;
    if (place === path.dirname(place)) return false;
  }
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
