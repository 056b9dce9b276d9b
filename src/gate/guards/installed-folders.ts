import { readdirSync } from 'node:fs';
import path from 'node:path';
import { isFolder } from '../../workspace/index.ts';
import { upwards } from './tree.ts';

/** The folders of the work tree that have installed packages, for commands that run in these folders. */
export function installedFolders(workFolder: string, folders: readonly string[]): readonly string[] {
  const from = new Set(['', ...folders].map((folder) => path.resolve(workFolder, folder)));
  const places = new Set([...from].flatMap((folder) => upwards(workFolder, folder)));
  const found = [...places].flatMap((place) => [
    path.join(place, 'node_modules'),
    ...['.venv', 'venv'].flatMap((name) => sitePackages(path.join(place, name))),
  ]);
  return found.filter((folder) => isFolder(folder)).map((folder) => path.relative(workFolder, folder));
}

/** Where a virtual environment has its packages. */
function sitePackages(environment: string): readonly string[] {
  try {
    const versions = readdirSync(path.join(environment, 'lib')).filter((name) => name.startsWith('python'));
    return versions.map((version) => path.join(environment, 'lib', version, 'site-packages'));
  } catch {
    return [];
  }
}
