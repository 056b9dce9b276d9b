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
  const file = path.join(root, 'current-loop.json');
  if (!isAiwgRoot(root) || lookAtForeign(file) !== 'file' || openStore(place).list().length > 0) return [];
  const name = path.relative(workingDirectory, file);
  if (!isActive(file, name)) return [];
  return [
    `${name} holds an active loop of AIWG, which this loop does not continue. To continue it: ralphd import ${name}`,
  ];
}

function isActive(file: string, name: string): boolean {
  try {
    return !isTerminal(readForeignLoop({ name, text: readDocument(file).text }).becomes);
  } catch (error) {
    if (error instanceof LoopError) return false;
    throw error;
  }
}
