import path from 'node:path';
import { LoopError } from '../../base/index.ts';
import type { IterationRecord, Loop } from '../../core/index.ts';
import { readTachikomaHistory, type TachikomaIteration, toTachikomaIteration } from '../../formats/index.ts';
import { type DocumentFile, openDocumentFile } from '../document-file.ts';

/** The newest iterations stay; older ones are in the journals of their loops. */
const maxIterations = 10_000;

/** The history file of a loop, if its settings name one. */
export function historyFileOf({ config: { history }, origin }: Loop): string | undefined {
  const { persist, persistPath } = history;
  return persist && persistPath !== undefined ? path.resolve(origin.workingDirectory, persistPath) : undefined;
}

/**
 * Adds finished iterations to a history file, which several loops may share: the metadata of each names its loop. A file that
 * cannot be read is refused and left alone.
 */
export function addToHistoryFile(
  place: string,
  loopId: string,
  { records, file = openDocumentFile(place) }: { records: readonly IterationRecord[]; file?: DocumentFile },
): void {
  const added = records.map((record) => withLoop(toTachikomaIteration(record), loopId));
  const keys = new Set(added.map(keyOf));
  const earlier = iterationsIn(file).filter((iteration) => !keys.has(keyOf(iteration)));
  file.write(`${JSON.stringify([...earlier, ...added].slice(-maxIterations), undefined, 2)}\n`);
}

function iterationsIn(file: DocumentFile): readonly TachikomaIteration[] {
  const text = file.read();
  if (text === undefined) return [];
  const reading = readTachikomaHistory(text, file.path);
  if (!reading.ok) throw new LoopError(reading.failure);
  return reading.iterations;
}

function withLoop(iteration: TachikomaIteration, loopId: string): TachikomaIteration {
  return { ...iteration, metadata: { ...iteration.metadata, loop_id: loopId } };
}

function keyOf({ number, metadata }: TachikomaIteration): string {
  return `${metadata['loop_id'] ?? ''} ${number}`;
}
