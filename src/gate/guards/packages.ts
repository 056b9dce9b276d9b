import { createHash } from 'node:crypto';
import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Guard, InstalledPackage } from '../../protocol/index.ts';
import { readSmallFile, toRaw } from '../../workspace/index.ts';
import { hash } from './file-digest.ts';
import { manifestVersion } from './installed.ts';

type PackagesGuard = Extract<Guard, { kind: 'packages' }>;

const maxPackages = 2_000;
const maxFiles = 100_000;
/** What tools write beside packages while they work. */
const isCache = /^(?:\.cache|\.vite|\.vite-temp|\.vitest(?:-cache)?|__pycache__|\.bin|\.package-lock\.json|.*\.pyc)$/;

/** The packages that are installed in a folder, by what the file system says about their files: nothing is read. */
export function packagesNow(folder: string): InstalledPackage[] {
  const found = path.basename(folder) === 'site-packages' ? pythonPackages(folder) : nodePackages(folder);
  const budget = { files: maxFiles };
  return found.slice(0, maxPackages).map(({ name, version, roots }) => {
    const { sizes, stamps } = statsOf(roots, budget);
    const identity = roots.map((root) => identityOf(root)).join(' ');
    return { name, ...(version === undefined ? {} : { version }), folder: short(identity), sizes, stamps };
  });
}

interface FoundPackage {
  readonly name: string;
  readonly version: string | undefined;
  readonly roots: readonly string[];
}

/** Top-level and nested packages, those with a scope, and those in pnpm's own folder. */
function nodePackages(folder: string, prefix = ''): FoundPackage[] {
  return entriesIn(folder).flatMap((entry): FoundPackage[] => {
    const at = path.join(folder, entry.name);
    const name = `${prefix}${entry.name}`;
    if (!entry.isDirectory() || isCache.test(entry.name)) return [];
    if (entry.name === '.pnpm') {
      return entriesIn(at).flatMap(({ name: own }) =>
        nodePackages(path.join(at, own, 'node_modules'), `.pnpm/${own}/`),
      );
    }
    if (entry.name.startsWith('@')) return nodePackages(at, `${name}/`);
    if (entry.name.startsWith('.')) return [];
    const nested = nodePackages(path.join(at, 'node_modules'), `${name}/node_modules/`);
    return [{ name, version: manifestVersion(at), roots: [at] }, ...nested];
  });
}

/** What each distribution says that it has installed. */
function pythonPackages(folder: string): FoundPackage[] {
  return entriesIn(folder).flatMap((entry): FoundPackage[] => {
    const [, name, version] = /^(.+)-([^-]+)\.dist-info$/.exec(entry.name) ?? [];
    if (name === undefined) return [];
    const record = readSmallFile(toRaw(path.join(folder, entry.name, 'RECORD')))?.toString('utf8') ?? '';
    const tops = new Set(record.split('\n').map((line) => /^"?([^/,"]+)/.exec(line)?.[1] ?? ''));
    const own = [...tops].filter((top) => top !== '' && top !== '..' && top !== entry.name && !isCache.test(top));
    return own.length === 0 ? [] : [{ name, version, roots: own.sort().map((top) => path.join(folder, top)) }];
  });
}

/** One pass over the files of a package; packages inside it stand for themselves. */
function statsOf(roots: readonly string[], budget: { files: number }): Pick<InstalledPackage, 'sizes' | 'stamps'> {
  const sizes = createHash('sha256');
  const stamps = createHash('sha256');
  const open = roots.map((root) => ({ at: root, name: path.basename(root) }));
  for (let next = open.pop(); next !== undefined && budget.files > 0; next = open.pop()) {
    const { at, name } = next;
    const stats = lstatSync(at, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) continue;
    if (stats.isDirectory()) {
      const inside = entriesIn(at).filter((entry) => entry.name !== 'node_modules' && !isCache.test(entry.name));
      open.push(...inside.map((entry) => ({ at: path.join(at, entry.name), name: `${name}/${entry.name}` })));
      continue;
    }
    budget.files -= 1;
    sizes.update(`${name} ${stats.size}\n`);
    // Somebody else who links the same file elsewhere, as pnpm does, changes its ctime.
    const changed = stats.nlink > 1n ? '' : stats.ctimeNs;
    stamps.update(`${name} ${stats.size} ${stats.ino} ${stats.mtimeNs} ${changed}\n`);
  }
  return { sizes: sizes.digest('hex').slice(0, 12), stamps: stamps.digest('hex').slice(0, 12) };
}

function identityOf(root: string): string {
  const stats = lstatSync(root, { bigint: true, throwIfNoEntry: false });
  return `${stats?.ino} ${stats?.birthtimeNs}`;
}

function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch {
    return [];
  }
}

function short(text: string): string {
  return hash(text).slice(0, 12);
}

/** Packages whose files changed although their version did not. New ones and other versions are honest work. */
export function packageChanges(before: PackagesGuard, now: PackagesGuard, place: string): readonly string[] {
  const known = new Map(before.packages.map((each) => [each.name, each]));
  const changed = now.packages.flatMap((each) => {
    const was = known.get(each.name);
    return was === undefined || was.version !== each.version || was.stamps === each.stamps ? [] : [{ was, each }];
  });
  const isAfresh = ({ was, each }: (typeof changed)[number]) => was.folder !== each.folder && was.sizes === each.sizes;
  const afresh = changed.filter(isAfresh).length;
  const present = new Set(now.packages.map(({ name }) => name));
  const moved = before.packages.filter(({ name }) => !present.has(name) && isAbove(now.folder, name, place));
  return [
    ...moved.map(({ name }) => `${path.join(before.folder, name)} (gone, and found in a folder above)`),
    ...changed.filter((one) => !isAfresh(one)).map(({ each }) => editedInPlace(before.folder, each)),
    ...(afresh === 0 ? [] : [`${before.folder} (${packages(afresh)} installed afresh in the same version)`]),
  ];
}

/** Whether a package that is no longer there would be found further up. */
function isAbove(folder: string, name: string, workFolder: string): boolean {
  for (let at = path.dirname(path.resolve(workFolder, folder)); at !== path.dirname(at); ) {
    at = path.dirname(at);
    if (lstatSync(path.join(at, 'node_modules', name), { throwIfNoEntry: false }) !== undefined) return true;
  }
  return false;
}

function editedInPlace(folder: string, { name, version }: InstalledPackage): string {
  return `${path.join(folder, name)} (edited in place${version === undefined ? '' : `, still version ${version}`})`;
}

function packages(count: number): string {
  return count === 1 ? '1 package' : `${count} packages`;
}
