import path from 'node:path';
import type { Loop } from '../core/index.ts';
import { createTemporaryFolder, linkFolder, removeTemporaryFolders } from '../files/index.ts';
import { addScratch, isFolder, isReadError, listWorktrees, pathExists, removeWorktree } from '../workspace/index.ts';
import type { AppContext } from './agent-programs.ts';

/** A temporary work tree without a branch; removed on disposal. */
export interface Scratch extends AsyncDisposable {
  readonly top: string;
}

/** For which loop, and which commit is checked out at first. */
export interface ScratchRequest {
  readonly loopId: string;
  readonly repository: string;
  readonly commit: string;
  readonly env: AppContext['env'];
}

/** Checks a commit out into a temporary folder, after removing what an interrupted landing left. */
export async function openScratch({ loopId, repository, commit, env }: ScratchRequest): Promise<Scratch> {
  await removeScratches({ loopId, repository, env });
  const place = createTemporaryFolder(scratchName(loopId));
  const top = path.join(place.root, path.basename(repository) || 'work');
  const dispose = async () => {
    await removeQuietly(repository, top, env);
    place[Symbol.dispose]();
  };
  try {
    await addScratch(repository, { folder: top, commit }, env);
    return { top, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Removes what an interrupted landing left. */
export async function removeScratches({ loopId, repository, env }: Omit<ScratchRequest, 'commit'>): Promise<void> {
  const name = scratchName(loopId);
  const isOurs = (top: string) => path.basename(path.dirname(top)).startsWith(`ralphd-${name}-`);
  const left = (await listWorktrees(repository, env)).map((each) => each.path).filter(isOurs);
  for (const top of left) await removeQuietly(repository, top, env);
  removeTemporaryFolders(
    name,
    left.map((top) => path.dirname(top)),
  );
}

async function removeQuietly(repository: string, path: string, env: AppContext['env']): Promise<void> {
  try {
    await removeWorktree(repository, { path, force: true }, env);
  } catch (error) {
    // Git forgets it when its folder is gone.
    if (!isReadError(error)) throw error;
  }
}

/** Lets the checks find the dependencies that the loop has installed. */
export function shareDependencies(
  { config, origin }: Loop,
  workingDirectory: string,
  installedIn = origin.workingDirectory,
): void {
  for (const name of config.verifyShare) {
    const from = path.resolve(installedIn, name);
    const at = path.resolve(workingDirectory, name);
    const isInside = !path.relative(workingDirectory, at).startsWith('..');
    if (isInside && isFolder(from) && isFolder(path.dirname(at)) && !pathExists(at)) linkFolder(from, at);
  }
}

function scratchName(loopId: string): string {
  return `land-${loopId}`;
}
