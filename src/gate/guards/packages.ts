import { createHash } from 'node:crypto';
import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Guard, InstalledPackage } from '../../protocol/index.ts';
import { isFolder, readSmallFile, toRaw } from '../../workspace/index.ts';
import { hash } from './file-digest.ts';
import { manifestVersion } from './installed.ts';
import { parentsInTree } from './tree.ts';

type PackagesGuard = Extract<Guard, { kind: 'packages' }>;

const maxPackages = 2_000;
const maxFiles = 100_000;
/** Names that tools create next to packages while they work. */
const isCache = /^(?:\.cache|\.vite|\.vite-temp|\.vitest(?:-cache)?|__pycache__|\.bin|\.package-lock\.json|.*\.pyc)$/;

/** The packages installed in a folder, with stamps from the file system: contents are not read. */
export function currentPackages(folder: string): InstalledPackage[] {
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

/** Top-level, nested and scoped packages, and those in pnpm's own folder. */
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

/** The distributions, with the files that each one records as installed. */
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

/** One pass over the files of a package, without the packages nested in it. */
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
    // Hard-linking the same file elsewhere, as pnpm does, changes its ctime.
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

/** Packages whose files changed although their version did not. New packages and new versions are honest work. */
export function packageChanges(before: PackagesGuard, now: PackagesGuard, place: string): readonly string[] {
  const known = new Map(before.packages.map((each) => [each.name, each]));
  const changed = now.packages.flatMap((each) => {
    const old = known.get(each.name);
    return old === undefined || old.version !== each.version || old.stamps === each.stamps ? [] : [{ old, each }];
  });
  const isReinstalled = ({ old, each }: (typeof changed)[number]) =>
    old.folder !== each.folder && old.sizes === each.sizes;
  const reinstalled = changed.filter(isReinstalled).length;
  const present = new Set(now.packages.map(({ name }) => name));
  const moved = before.packages.filter(({ name }) => !present.has(name) && isFoundAbove(now.folder, name, place));
  return [
    ...moved.map(({ name }) => `${path.join(before.folder, name)} (removed, and found in a parent folder)`),
    ...changed.filter((one) => !isReinstalled(one)).map(({ each }) => editedInPlace(before.folder, each)),
    ...(reinstalled === 0 ? [] : [`${before.folder} (${packages(reinstalled)} reinstalled in the same version)`]),
  ];
}

/** Whether a removed package would be found in a parent folder. */
function isFoundAbove(folder: string, name: string, workFolder: string): boolean {
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

/** The folders of the work tree with packages installed for commands that run in the given folders. */
export function installedFolders(workFolder: string, folders: readonly string[]): readonly string[] {
  const from = new Set(['', ...folders].map((folder) => path.resolve(workFolder, folder)));
  const places = new Set([...from].flatMap((folder) => parentsInTree(workFolder, folder)));
  const found = [...places].flatMap((place) => [
    path.join(place, 'node_modules'),
    ...['.venv', 'venv'].flatMap((name) => sitePackages(path.join(place, name))),
  ]);
  return found.filter((folder) => isFolder(folder)).map((folder) => path.relative(workFolder, folder));
}

/** The package folders of a virtual environment. */
function sitePackages(environment: string): readonly string[] {
  try {
    const versions = readdirSync(path.join(environment, 'lib')).filter((name) => name.startsWith('python'));
    return versions.map((version) => path.join(environment, 'lib', version, 'site-packages'));
  } catch {
    return [];
  }
}
