import path from 'node:path';
import { compress, writeFileDurably } from '../../files/index.ts';
import type { SnapshotDocument } from '../../protocol/index.ts';
import type { Position } from '../journal/position.ts';
import type { RootedPlace } from '../place.ts';
import { makeLoopFolder } from '../root.ts';
import { sealSnapshot } from '../snapshot.ts';
import { checkpointFolder, checkpointName } from './names.ts';

/** The state of a loop at the end of an iteration. */
export interface Checkpoint {
  readonly iteration: number;
  readonly document: SnapshotDocument;
  /** How far into the journal the document goes. */
  readonly position: Position;
  /** Puts the finished snapshot, of that many bytes, into the document that is written to the file. */
  readonly wrap: (snapshot: SnapshotDocument, bytes: number) => SnapshotDocument;
}

/** Writes a checkpoint; one of the same iteration is replaced. Returns its file. */
export function writeCheckpoint(place: RootedPlace, checkpoint: Checkpoint): string {
  const { iteration, document, position, wrap } = checkpoint;
  const folder = checkpointFolder(place.folder);
  const file = path.join(folder, checkpointName(iteration));
  const snapshot = sealSnapshot(place, document, position);
  const whole = wrap(snapshot, Buffer.byteLength(JSON.stringify(snapshot)));
  makeLoopFolder(place, folder);
  writeFileDurably(place.files, file, compress(Buffer.from(`${JSON.stringify(whole)}\n`)));
  return file;
}
