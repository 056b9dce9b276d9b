import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { joinRaw, type RawPath, toBytes, toRaw, toText } from '../../workspace/index.ts';
import { entriesIn } from './copy-tree.ts';
import type { SharedPlace } from './tool-homes.ts';

/** Distinguishes two states of a file without reading it: a program cannot set the change time. */
export function stampOf({ ino, size, mode, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mode} ${mtimeMs} ${ctimeMs}`;
}

/** Stamps of files outside the work tree, by path. */
export type Stamps = Readonly<Record<string, string>>;

/** The checks do not read bytecode next to the sources (`PYTHONPYCACHEPREFIX`), so it may change. */
const unusedNames = new Set(['__pycache__']);

/** Takes the stamps of everything in shared places. */
export function stampPlaces(places: readonly SharedPlace[]): Stamps {
  const stamps: Record<string, string> = {};
  for (const { source } of places) {
    const pending: RawPath[] = [toRaw(source)];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const stats = lstatSync(toBytes(next), { throwIfNoEntry: false });
      if (stats === undefined) continue;
      if (stats.isDirectory()) {
        const names = entriesIn(next).map(({ name }) => name);
        pending.push(...names.filter((name) => !unusedNames.has(name)).map((name) => joinRaw(next ?? '', name)));
      } else stamps[toText(next)] = stampOf(stats);
    }
  }
  return stamps;
}

/** The files of shared places that changed; new files only where the place may not grow. */
export function changedPlaces(places: readonly SharedPlace[], before: Stamps): readonly string[] {
  const now = stampPlaces(places);
  const growing = places.filter(({ grows }) => grows).map(({ source }) => `${source}/`);
  const changed = Object.entries(before).filter(([file, stamp]) => now[file] !== stamp);
  const fresh = Object.keys(now).filter(
    (file) => before[file] === undefined && !growing.some((place) => file.startsWith(place)),
  );
  return [...changed.map(([file]) => file), ...fresh.map((file) => `${file} (new)`)];
}

/** The first program of each name on the PATH, with its stamp where the user can write to its folder. */
export function stampPrograms(folders: readonly string[], isWritable: (folder: string) => boolean): Stamps {
  const stamps: Record<string, string> = {};
  for (const folder of folders) {
    const writable = isWritable(folder);
    for (const name of list(folder)) {
      if (stamps[name] !== undefined) continue;
      const stats = writable ? statSync(path.join(folder, name), { throwIfNoEntry: false }) : undefined;
      stamps[name] = stats === undefined ? folder : `${folder} ${stampOf(stats)}`;
    }
  }
  return stamps;
}

/** The names that now refer to a different program. */
export function changedPrograms(before: Stamps, now: Stamps): readonly string[] {
  return Object.keys(before).filter((name) => now[name] !== before[name]);
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
