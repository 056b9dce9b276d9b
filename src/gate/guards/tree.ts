import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

/** The repository around a folder, or the folder itself: what an agent is expected to work on. */
export function treeOf(folder: string): string {
  for (let place = folder; ; place = path.dirname(place)) {
    if (existsSync(path.join(place, '.git'))) return place;
    if (place === path.dirname(place)) return folder;
  }
}

/** Whether a file lies below a folder. */
export function isInside(root: string, file: string): boolean {
  return file.startsWith(root === '/' ? root : `${root}/`);
}

/** A folder and those above it, up to the top of the tree that the work folder lies in. */
export function upwards(workFolder: string, folder: string): readonly string[] {
  const top = treeOf(workFolder);
  const places = [folder];
  for (let place = folder; place !== top && isInside(top, place); ) {
    place = path.dirname(place);
    places.push(place);
  }
  return places;
}

/** A folder and all above it, to the top of the file system: npm looks for programs in each of them. */
export function foldersUp(folder: string): readonly string[] {
  const above = path.dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersUp(above)];
}

/** A named file, and what it points to when it is a link: either may be edited. */
export function filesAt(folder: string, file: string): readonly string[] {
  try {
    const root = treeOf(realpathSync(folder));
    const real = realpathSync(file);
    if (!statSync(file).isFile()) return [];
    const named = path.join(realpathSync(path.dirname(file)), path.basename(file));
    return [...new Set([named, real])]
      .filter((each) => isInside(root, each))
      .map((each) => path.relative(realpathSync(folder), each));
  } catch {
    return [];
  }
}
