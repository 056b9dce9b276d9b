import { accessSync, constants, statSync } from 'node:fs';

/** Whether a path is a folder that can be entered. */
export function isFolder(place: string): boolean {
  try {
    accessSync(place, constants.R_OK | constants.X_OK);
    return statSync(place).isDirectory();
  } catch {
    return false;
  }
}
