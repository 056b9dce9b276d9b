import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readSmallFile, toRaw } from '../../workspace/index.ts';

const maxMembers = 100;
const maxDepth = 4;

/** The package folders of a workspace, relative to its root; empty where it is not a workspace. */
export function membersOf(root: string): readonly string[] {
  const patterns = [...fromManifest(root, 'package.json'), ...fromManifest(root, 'lerna.json'), ...fromPnpm(root)];
  const found = new Set(patterns.filter((each) => !each.startsWith('!')).flatMap((each) => expand(root, each)));
  return [...found]
    .filter((folder) => textOf(path.join(root, folder, 'package.json')) !== undefined)
    .slice(0, maxMembers);
}

/** The name in the manifest of a package. */
export function packageName(folder: string): string | undefined {
  const name = parse(textOf(path.join(folder, 'package.json')))['name'];
  return typeof name === 'string' ? name : undefined;
}

function fromManifest(root: string, manifest: string): readonly string[] {
  const { workspaces, packages } = parse(textOf(path.join(root, manifest)));
  const named = manifest === 'lerna.json' ? packages : workspaces;
  const list: unknown = Array.isArray(named) ? named : parse(JSON.stringify(named ?? {}))['packages'];
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
}

function fromPnpm(root: string): readonly string[] {
  const text = textOf(path.join(root, 'pnpm-workspace.yaml')) ?? '';
  const list = /^packages:[ \t]*\n((?:[ \t]*(?:-.*|#.*)?\n?)*)/m.exec(text)?.[1] ?? '';
  return [...list.matchAll(/^[ \t]*-[ \t]*["']?([^"'#\n]+?)["']?[ \t]*(?:#.*)?$/gm)].map(([, each = '']) => each);
}

function expand(root: string, pattern: string): readonly string[] {
  const segments = pattern.split('/').filter((each) => each !== '' && each !== '.');
  let places = [''];
  for (const segment of segments) {
    const next = segment === '**' ? places.flatMap((place) => below(root, place)) : undefined;
    places = next ?? places.flatMap((place) => matching(root, place, segment));
  }
  return places.filter((place) => place !== '');
}

function matching(root: string, place: string, segment: string): readonly string[] {
  if (!segment.includes('*')) return [path.join(place, segment)];
  const pattern = new RegExp(`^${segment.split('*').map(escaped).join('.*')}$`);
  return foldersIn(root, place).filter((each) => pattern.test(path.basename(each)));
}

function below(root: string, place: string, depth = 0): readonly string[] {
  if (depth >= maxDepth) return [place];
  return [place, ...foldersIn(root, place).flatMap((each) => below(root, each, depth + 1))];
}

function foldersIn(root: string, place: string): readonly string[] {
  try {
    return readdirSync(path.join(root, place), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'))
      .map(({ name }) => path.join(place, name))
      .sort();
  } catch {
    return [];
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function parse(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function textOf(file: string): string | undefined {
  return readSmallFile(toRaw(file))?.toString('utf8');
}
