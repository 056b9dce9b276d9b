import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

/** The top of the repository that contains a folder, or the folder itself: what an agent is expected to work on. */
export function treeOf(folder: string): string {
  for (let place = folder; ; place = path.dirname(place)) {
    if (existsSync(path.join(place, '.git'))) return place;
    if (place === path.dirname(place)) return folder;
  }
}

export function isInside(root: string, file: string): boolean {
  return file.startsWith(root === '/' ? root : `${root}/`);
}

/** A folder and its parents, up to the top of the tree that contains the work folder. */
export function parentsInTree(workFolder: string, folder: string): readonly string[] {
  const top = treeOf(workFolder);
  const places = [folder];
  for (let place = folder; place !== top && isInside(top, place); ) {
    place = path.dirname(place);
    places.push(place);
  }
  return places;
}

/** A folder and all its parents, up to the root: npm searches for programs in each of them. */
export function withParents(folder: string): readonly string[] {
  const above = path.dirname(folder);
  return above === folder ? [folder] : [folder, ...withParents(above)];
}

/** A file and, when it is a link, its target: either may be edited. */
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
