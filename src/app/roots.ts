import path from 'node:path';
import { createFileExclusively, look, makeRoot, nodeFiles, quietly, readWhole } from '../files/index.ts';
import { type LoopPlace, nameOfRoot, ownState } from './stores.ts';

const maxBytes = 64 * 1024;

/** Records in the user's state folder where loops are kept. Optional: a failure is ignored. */
export function rememberRoot({ root, workingDirectory }: LoopPlace, env: NodeJS.ProcessEnv): void {
  const folder = rootsFolder(env);
  if (folder === undefined) return;
  const note = Buffer.from(`${JSON.stringify({ root, workingDirectory })}\n`);
  quietly(() => {
    makeRoot(nodeFiles, folder);
    createFileExclusively(nodeFiles, path.join(folder, `${nameOfRoot(root)}.json`), note);
  });
}

/** Every existing place in which this user keeps loops. */
export function knownPlaces(env: NodeJS.ProcessEnv): readonly LoopPlace[] {
  const folder = rootsFolder(env);
  if (folder === undefined || look(nodeFiles, folder)?.kind !== 'folder') return [];
  const places = nodeFiles
    .list(folder)
    .toSorted()
    .flatMap((name) => readNote(path.join(folder, name)));
  return places.filter(({ root }) => look(nodeFiles, root)?.kind === 'folder');
}

function rootsFolder(env: NodeJS.ProcessEnv): string | undefined {
  const own = ownState(env);
  return own === undefined ? undefined : path.join(own, 'roots');
}

function readNote(file: string): readonly LoopPlace[] {
  let note: unknown;
  quietly(() => {
    note = JSON.parse(readWhole(nodeFiles, file, { limit: maxBytes }).toString('utf8'));
  });
  if (typeof note !== 'object' || note === null) return [];
  const { root, workingDirectory }: Record<string, unknown> = { ...note };
  const isPlace = typeof root === 'string' && typeof workingDirectory === 'string';
  return isPlace && path.isAbsolute(root) ? [{ root, workingDirectory }] : [];
}
