import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { readSmallFile, toRaw } from '../../workspace/index.ts';
import { fileDigest, hash } from './file-digest.ts';
import { isInside, treeOf } from './tree.ts';

const isInstalledPath = /\/(?:node_modules|\.venv|venv|vendor)\//;
/** A larger program outside the work tree is identified by its stamp. */
const maxOutsideBytes = 16 * 1024 * 1024;

/** The real path of the tree that contains a work folder. */
export function realTreeOf(workFolder: string): string {
  return realPathOf(treeOf(workFolder)) ?? workFolder;
}

/** The digest of a program's real file. The content of a file of the work does not count: it may change. */
export function programDigest(real: string, tree: string, isCheck: boolean): string {
  if (!isInside(tree, real)) return hash(`${real} ${contentOf(real, maxOutsideBytes)}`);
  const content = isCheck || isInstalledPath.test(real) ? contentOf(real) : '';
  return hash(`${path.relative(tree, real)} ${content}`);
}

/** Runtimes and compilers are large: a file is read again only when its stamp changed. */
export function contentOf(file: string, maxBytes = Number.POSITIVE_INFINITY): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  const stamp = `${stats?.ino} ${stats?.size} ${stats?.mtimeNs} ${stats?.ctimeNs}`;
  if (stats !== undefined && stats.size > maxBytes) return `looks ${stamp}`;
  const cached = digests.get(file);
  if (cached?.stamp === stamp) return cached.digest;
  const digest = fileDigest(file);
  if (digests.size >= maxCached) digests.clear();
  digests.set(file, { stamp, digest });
  return digest;
}

const maxCached = 4_000;
const digests = new Map<string, { readonly stamp: string; readonly digest: string }>();

/** The version of the package that a program belongs to, also through the shell stub of a package manager. */
export function versionOf(file: string): string | undefined {
  const stub = file.includes('/node_modules/.bin/') ? stubTarget(file) : undefined;
  const owner = /^.*\/node_modules\/(?:@[^/]+\/)?[^/.@][^/]*(?=\/)/s.exec(stub ?? file)?.[0];
  return owner === undefined ? undefined : manifestVersion(owner);
}

/** The version in the manifest of a package. */
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
  return target === undefined ? undefined : realPathOf(path.resolve(path.dirname(file), target));
}

/** The real path of a file; undefined where there is none. */
export function realPathOf(file: string): string | undefined {
  try {
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Whether this user, and so the agent, can replace a file: it, or a folder above it, is writable. */
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
