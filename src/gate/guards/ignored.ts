import { createHash } from 'node:crypto';
import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Guard } from '../../protocol/index.ts';
import { type IgnoreRules, isIgnored, parseIgnoreRules, readSmallFile, toRaw } from '../../workspace/index.ts';

type IgnoredGuard = Extract<Guard, { kind: 'ignored' }>;

const maxDepth = 4;
const maxPaths = 200;
const maxEntries = 30_000;
/** Names that have their own guards, belong to ralphd or git, or say nothing about the work. */
const isSkipped =
  /^(?:\.git|\.ralph|\.aiwg|__pycache__|\.(?:pytest|mypy|ruff)_cache|coverage|\.coverage|\.nyc_output|\.DS_Store|.*\.(?:log|pyc|swp|tmp))$/;
/** Installed packages have their own guards, except for caches that tools keep among them. */
const installed = new Set(['node_modules', '.venv', 'venv']);
const cacheAmongPackages = 'node_modules/.cache';

/** The paths that git ignores, with stamps from the file system: contents are not read. */
export function currentIgnored(workFolder: string): IgnoredGuard['paths'] {
  const budget = { entries: maxEntries };
  return [...ignoredBelow(workFolder, '', budget), cacheAmongPackages]
    .slice(0, maxPaths)
    .map((name) => ({ path: name, stamp: stampOf(path.join(workFolder, name), budget) }));
}

interface Budget {
  entries: number;
}

function ignoredBelow(root: string, folder: string, budget: Budget, parent?: IgnoreRules): readonly string[] {
  const at = path.join(root, folder);
  const text = readSmallFile(toRaw(path.join(at, '.gitignore')))?.toString('latin1');
  const rules = text === undefined ? parent : parseIgnoreRules(text, toRaw(folder), parent);
  const depth = folder === '' ? 0 : folder.split('/').length;
  return entriesIn(at, budget).flatMap((entry) => {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (isSkipped.test(entry.name) || installed.has(name)) return [];
    if (rules !== undefined && isIgnored(toRaw(name), entry.isDirectory(), rules)) return [name];
    return entry.isDirectory() && depth < maxDepth ? ignoredBelow(root, name, budget, rules) : [];
  });
}

function stampOf(root: string, budget: Budget): string {
  const digest = createHash('sha256');
  const open = [root];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const stats = lstatSync(at, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) continue;
    if (!stats.isDirectory()) {
      digest.update(`${path.relative(root, at)} ${stats.size} ${stats.mtimeNs}\n`);
      continue;
    }
    for (const { name } of entriesIn(at, budget)) if (!isSkipped.test(name)) open.push(path.join(at, name));
  }
  return digest.digest('hex').slice(0, 12);
}

function entriesIn(folder: string, budget: Budget): readonly Dirent[] {
  if (budget.entries <= 0) return [];
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    budget.entries -= entries.length;
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch {
    return [];
  }
}

/** The ignored paths that are new or changed. */
export function ignoredChanges(before: IgnoredGuard, now: IgnoredGuard): readonly string[] {
  const known = new Map(before.paths.map(({ path: name, stamp }) => [name, stamp]));
  return now.paths.filter(({ path: name, stamp }) => known.get(name) !== stamp).map(({ path: name }) => name);
}
