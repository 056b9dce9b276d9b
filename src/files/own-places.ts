import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { quietly, writing } from './disk-errors.ts';

/** Makes sure that there is a folder, which only its owner can enter if it is new. */
export function ensureFolder(place: string): void {
  writing(place, () => mkdirSync(place, { recursive: true, mode: 0o700 }));
}

/** Makes sure that there is a file; what it contains stays. */
export function ensureFile(place: string): void {
  if (existsSync(place)) return;
  ensureFolder(path.dirname(place));
  writing(place, () => closeSync(openSync(place, 'a', 0o600)));
}

/** Moves what is at a path out of the way, next to it; returns its new path, or undefined if nothing was there. */
export function moveAside(place: string, suffix: string): string | undefined {
  if (lstatSync(place, { throwIfNoEntry: false }) === undefined) return undefined;
  let moved = `${place}${suffix}`;
  for (let number = 2; lstatSync(moved, { throwIfNoEntry: false }) !== undefined; number += 1) {
    moved = `${place}${suffix}-${number}`;
  }
  writing(place, () => renameSync(place, moved));
  return moved;
}

/** Removes a folder if it is empty; anything else stays. */
export function removeEmptyFolder(place: string): void {
  quietly(() => rmdirSync(place));
}

/** Reads a small file and removes it; undefined if there is none. */
export function takeText(place: string): string | undefined {
  let text: string | undefined;
  quietly(() => {
    text = readFileSync(place, 'utf8');
    rmSync(place, { force: true });
  });
  return text;
}

/** Removes a symbolic link, and never what it leads to; whether there was one. */
export function removeLink(place: string): boolean {
  if (!lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) return false;
  quietly(() => unlinkSync(place));
  return true;
}

/** Replaces the text of a small file that no crash has to keep. */
export function putText(place: string, text: string): void {
  writing(place, () => writeFileSync(place, text, { mode: 0o600 }));
}
