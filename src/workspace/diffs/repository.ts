import path from 'node:path';
import { createTemporaryFolder, makePrivateFolder, nodeFiles, placeFile } from '../../files/index.ts';
import { bareSettings } from '../bare-settings.ts';
import type { PrivateRepository } from '../git.ts';
import { findGitPlace } from '../git-place.ts';
import { toText } from '../raw-path.ts';
import { isReadError } from '../unreadable.ts';
import { maxDiffedBytes } from './loose-objects.ts';

/** Where the diffs of a loop are kept, and the work that they are about. */
export interface DiffPlace {
  /** The folder with the objects. */
  readonly objects: string;
  /** The folder that it must not lead out of. */
  readonly within: string;
  readonly workingDirectory: string;
  /** The caller's environment. */
  readonly env: NodeJS.ProcessEnv;
  /** Folders with further objects. */
  readonly alternates?: readonly string[];
}

/** A repository to run git in, for a moment. */
export interface OpenRepository extends Disposable {
  readonly repository: PrivateRepository;
}

/**
 * Opens the objects of a loop as a repository. Its settings are in a folder that an agent does not know, because git
 * settings can run programs.
 */
export async function openRepository(place: DiffPlace, algorithm: string): Promise<OpenRepository> {
  const alternates = [...(await usersObjects(place)), ...(place.alternates ?? [])];
  const settings = bareSettings(algorithm, { core: [`bigFileThreshold = ${maxDiffedBytes}`] });
  const { root: folder, ...scratch } = createTemporaryFolder();
  try {
    makePrivateFolder(path.join(folder, 'refs'));
    placeFile(nodeFiles, path.join(folder, 'config'), Buffer.from(settings));
    placeFile(nodeFiles, path.join(folder, 'HEAD'), Buffer.from('ref: refs/heads/none\n'));
    return { repository: { folder, objects: place.objects, alternates }, ...scratch };
  } catch (error) {
    scratch[Symbol.dispose]();
    throw error;
  }
}

/** The objects of the user's repository, if it still exists. */
async function usersObjects({ workingDirectory, env }: DiffPlace): Promise<readonly string[]> {
  try {
    return [toText((await findGitPlace(workingDirectory, env)).objects)];
  } catch (error) {
    if (!isReadError(error)) throw error;
    return [];
  }
}
