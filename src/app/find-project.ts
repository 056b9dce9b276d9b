import path from 'node:path';
import { look, nodeFiles, quietly, readWhole } from '../files/index.ts';
import { defaultPlaces } from '../protocol/index.ts';
import { openStore } from './stores.ts';

const configNames = ['ralphd.yml', 'ralphd.yaml'];

/** In git's folder of a worktree that ralphd created: the path of the project whose loop works there. */
export const projectNote = 'ralphd-project';

const maxNoteBytes = 64 * 1024;

/**
 * The project of a folder: the nearest folder, from there up, with settings or loops of ralphd. The search ends at the
 * top of the git work tree and at the user's home; state folders of other programs or users are skipped. If nothing is
 * found, it is the folder itself. A linked worktree belongs to the project of the main work tree, unless it has loops of
 * its own; one that ralphd created belongs to the project of its loop.
 */
export function findProject(cwd: string, env: NodeJS.ProcessEnv): string {
  const linked = linkedWorktree(cwd);
  const noted = linked === undefined ? undefined : notedProject(linked);
  if (noted !== undefined) return noted;
  const own = nearestProject(cwd, env);
  if (linked === undefined || (own !== undefined && hasLoops(own))) return own ?? cwd;
  const main = mainCounterpart(linked, cwd);
  const project = main === undefined ? undefined : nearestProject(main, env);
  return project !== undefined && hasLoops(project) ? project : (own ?? cwd);
}

/** The folder that keeps the state of a loop which is started in a worktree of its own from another folder. */
export function homeOfWorktrees(cwd: string): string {
  const linked = linkedWorktree(cwd);
  if (linked === undefined) return cwd;
  return notedProject(linked) ?? mainCounterpart(linked, cwd) ?? cwd;
}

/**
 * The folder in the main work tree that a folder of a linked worktree stands for. The repository has to name the worktree
 * too: a `.git` file alone could claim to belong to any repository.
 */
export function repositoryOf(cwd: string): string | undefined {
  const linked = linkedWorktree(cwd);
  if (linked === undefined) return undefined;
  const named = textOf(path.join(linked.gitFolder, 'gitdir')).replace(/\n$/, '');
  return path.resolve(linked.gitFolder, named) === path.join(linked.top, '.git')
    ? mainCounterpart(linked, cwd)
    : undefined;
}

function nearestProject(cwd: string, { HOME: home }: NodeJS.ProcessEnv): string | undefined {
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    if (isProject(folder, folder === cwd)) return folder;
    const isTop = look(nodeFiles, path.join(folder, '.git')) !== undefined;
    if (isTop || folder === home || folder === path.dirname(folder)) return undefined;
  }
}

function isProject(folder: string, isStart: boolean): boolean {
  const isConfig = (name: string) => ['file', 'link'].includes(look(nodeFiles, path.join(folder, name))?.kind ?? '');
  if (configNames.some(isConfig)) return true;
  const root = path.join(folder, defaultPlaces.stateDir);
  const found = look(nodeFiles, root);
  // The folder itself counts whoever created it: the commands report what is wrong with it.
  if (isStart || found?.kind !== 'folder') return found !== undefined;
  return found.userId === process.getuid?.() && openStore({ root }).list().length > 0;
}

function hasLoops(folder: string): boolean {
  const root = path.join(folder, defaultPlaces.stateDir);
  return look(nodeFiles, root)?.kind === 'folder' && openStore({ root }).list().length > 0;
}

/** A work tree whose repository is elsewhere, as a `.git` file says. */
interface LinkedWorktree {
  readonly top: string;
  /** Git's folder for this work tree alone. */
  readonly gitFolder: string;
}

function linkedWorktree(cwd: string): LinkedWorktree | undefined {
  for (let top = cwd; ; top = path.dirname(top)) {
    const found = look(nodeFiles, path.join(top, '.git'));
    if (found === undefined && top !== path.dirname(top)) continue;
    const named = found?.kind === 'file' ? /^gitdir: (.*)\n*$/.exec(textOf(path.join(top, '.git')))?.[1] : undefined;
    return named === undefined ? undefined : { top, gitFolder: path.resolve(top, named) };
  }
}

function notedProject({ gitFolder }: LinkedWorktree): string | undefined {
  const noted = textOf(path.join(gitFolder, projectNote)).replace(/\n$/, '');
  return path.isAbsolute(noted) && look(nodeFiles, noted)?.kind === 'folder' ? noted : undefined;
}

/** The same folder in the main work tree, or the nearest one above it that exists there. */
function mainCounterpart({ top, gitFolder }: LinkedWorktree, cwd: string): string | undefined {
  const shared = textOf(path.join(gitFolder, 'commondir')).replace(/\n$/, '');
  const repository = path.resolve(gitFolder, shared);
  if (shared === '' || path.basename(repository) !== '.git') return undefined;
  const main = path.dirname(repository);
  for (let folder = path.join(main, path.relative(top, cwd)); ; folder = path.dirname(folder)) {
    if (folder === main || look(nodeFiles, folder)?.kind === 'folder') return folder;
  }
}

function textOf(file: string): string {
  let text = '';
  quietly(() => {
    text = readWhole(nodeFiles, file, { limit: maxNoteBytes }).toString('utf8');
  });
  return text;
}
