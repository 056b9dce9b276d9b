import path from 'node:path';
import { LoopError } from '../../base/index.ts';
import { isTerminal } from '../../core/index.ts';
import { lookAtForeign } from '../../files/index.ts';
import { readForeignLoop } from '../../formats/index.ts';
import { isAiwgRoot } from '../../store/index.ts';
import { readDocument } from '../read-document.ts';
import { type LoopPlace, openStore } from '../stores.ts';

/**
 * What the first loop in AIWG's folder should know: the single file of AIWG's first version holds an active loop. It is
 * offered for import, never imported unasked.
 */
export function legacyLoopWarnings(place: LoopPlace): readonly string[] {
  const { root, workingDirectory } = place;
  const file = isAiwgRoot(root) ? activeLegacyFile(root) : undefined;
  if (file === undefined || openStore(place).list().length > 0) return [];
  const name = path.relative(workingDirectory, file);
  return [
    `${name} holds an active loop of AIWG, which this loop does not continue. To continue it: ralphd import ${name}`,
  ];
}

/** The file of AIWG's first version in its folder, if it holds an active loop. */
export function activeLegacyFile(folder: string): string | undefined {
  const file = path.join(folder, 'current-loop.json');
  if (lookAtForeign(file) !== 'file') return undefined;
  try {
    return isTerminal(readForeignLoop({ name: file, text: readDocument(file).text }).becomes) ? undefined : file;
  } catch (error) {
    if (error instanceof LoopError) return undefined;
    throw error;
  }
}
