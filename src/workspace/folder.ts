import { accessSync, constants, realpathSync, statSync } from 'node:fs';

/** Whether a path is a folder that can be entered. */
export function isFolder(place: string): boolean {
  try {
    accessSync(place, constants.R_OK | constants.X_OK);
    return statSync(place).isDirectory();
  } catch {
    return false;
  }
}

/** A folder by its own name, behind all links; as it was given where that cannot be told. */
export function realFolder(place: string): string {
  try {
    return realpathSync(place);
  } catch {
    return place;
  }
}
