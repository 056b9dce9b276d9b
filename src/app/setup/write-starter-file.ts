import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import { createDocument, lookInProject, nodeFiles } from '../../files/index.ts';
import { whyNotWritten } from '../create-in.ts';

const names = ['ralphd.yml', 'ralphd.yaml'] as const;

/** The configuration file that a folder already has; undefined if it has none. */
export function existingFile(folder: string): string | undefined {
  return names.find((name) => lookInProject(nodeFiles, path.join(folder, name)) !== undefined);
}

/** Git's own files: those of a bare repository, or of the folder `.git`. */
function isGitFolder(folder: string): boolean {
  const isKind = (name: string, kind: string) => lookInProject(nodeFiles, path.join(folder, name))?.kind === kind;
  return isKind('HEAD', 'file') && isKind('objects', 'folder') && isKind('refs', 'folder');
}

/** Writes the configuration file of a project that has none; returns its name. */
export function writeStarterFile(folder: string, text: string): string {
  const [name] = names;
  if (isGitFolder(folder)) throw new LoopError(failures.gitFolder(folder));
  const existing = existingFile(folder);
  if (existing !== undefined) throw new LoopError(failures.configExists(existing));
  try {
    if (!createDocument(path.join(folder, name), text)) throw new LoopError(failures.configExists(name));
    return name;
  } catch (error) {
    if (!(error instanceof LoopError) || error.failure.code === 'CONFIG_EXISTS') throw error;
    throw new LoopError(failures.configNotWritten(path.join(folder, name), whyNotWritten(error)), { cause: error });
  }
}
