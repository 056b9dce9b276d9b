import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';

/** Whether a path is a folder that can be listed and entered. */
export function isFolder(place: string): boolean {
  try {
    accessSync(place, constants.R_OK | constants.X_OK);
    return statSync(place).isDirectory();
  } catch {
    return false;
  }
}

/** Whether there is anything at a path; false where a part of the path is not a folder. */
export function pathExists(place: string): boolean {
  return existsSync(place);
}

/** The folder's path with all links resolved; unchanged where that fails. */
export function realFolder(place: string): string {
  try {
    return realpathSync.native(place);
  } catch {
    return place;
  }
}
