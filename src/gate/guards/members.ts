import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readSmallFile, toRaw } from '../../workspace/index.ts';

const mostMembers = 100;
const deepest = 4;

/** The folders of the packages of a workspace, seen from its root; none where it is no workspace. */
export function membersOf(root: string): readonly string[] {
  const patterns = [...fromManifest(root, 'package.json'), ...fromManifest(root, 'lerna.json'), ...fromPnpm(root)];
  const found = new Set(patterns.filter((each) => !each.startsWith('!')).flatMap((each) => expand(root, each)));
  return [...found]
    .filter((folder) => textOf(path.join(root, folder, 'package.json')) !== undefined)
    .slice(0, mostMembers);
}

/** The name that the package in a folder gives itself. */
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
  const like = new RegExp(`^${segment.split('*').map(escaped).join('.*')}$`);
  return foldersIn(root, place).filter((each) => like.test(path.basename(each)));
}

function below(root: string, place: string, depth = 0): readonly string[] {
  if (depth >= deepest) return [place];
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
