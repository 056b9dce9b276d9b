import path from 'node:path';
import { look, nodeFiles } from '../files/index.ts';
import { defaultPlaces } from '../protocol/index.ts';
import { openStore } from './stores.ts';

const configNames = ['ralphd.yml', 'ralphd.yaml'];

/**
 * The folder of the project that a folder belongs to: the nearest one, from there up, that has settings or loops of
 * ralphd. The search ends at the top of the git work tree and at the user's home; a state folder that another program or
 * another user made is passed over. The folder itself, if nothing is found.
 */
export function findProject(cwd: string, { HOME: home }: NodeJS.ProcessEnv): string {
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    if (isProject(folder, folder === cwd)) return folder;
    const isTop = look(nodeFiles, path.join(folder, '.git')) !== undefined;
    if (isTop || folder === home || folder === path.dirname(folder)) return cwd;
  }
}

function isProject(folder: string, isHere: boolean): boolean {
  if (configNames.some((name) => look(nodeFiles, path.join(folder, name))?.kind === 'file')) return true;
  const root = path.join(folder, defaultPlaces.stateDir);
  const found = look(nodeFiles, root);
  // What is here is meant, whoever made it: the commands say what is wrong with it.
  if (isHere || found?.kind !== 'folder') return found !== undefined;
  return found.userId === process.getuid?.() && openStore({ root }).list().length > 0;
}
