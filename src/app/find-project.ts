import path from 'node:path';
import { look, nodeFiles } from '../files/index.ts';
import { defaultPlaces } from '../protocol/index.ts';
import { openStore } from './stores.ts';

const configNames = ['ralphd.yml', 'ralphd.yaml'];

/**
 * The project of a folder: the nearest folder, from there up, with settings or loops of ralphd. The search ends at the
 * top of the git work tree and at the user's home; state folders of other programs or users are
 * skipped. If nothing is found, it is the folder itself.
 */
export function findProject(cwd: string, { HOME: home }: NodeJS.ProcessEnv): string {
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    if (isProject(folder, folder === cwd)) return folder;
    const isTop = look(nodeFiles, path.join(folder, '.git')) !== undefined;
    if (isTop || folder === home || folder === path.dirname(folder)) return cwd;
  }
}

function isProject(folder: string, isStart: boolean): boolean {
  if (configNames.some((name) => look(nodeFiles, path.join(folder, name))?.kind === 'file')) return true;
  const root = path.join(folder, defaultPlaces.stateDir);
  const found = look(nodeFiles, root);
  // The folder itself counts whoever created it: the commands report what is wrong with it.
  if (isStart || found?.kind !== 'folder') return found !== undefined;
  return found.userId === process.getuid?.() && openStore({ root }).list().length > 0;
}
