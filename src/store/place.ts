import type { FilePort } from '../files/index.ts';
import type { SnapshotUpcaster } from '../protocol/index.ts';

/** One loop's folder on one disk. */
export interface LoopPlace {
  readonly files: FilePort;
  readonly loopId: string;
  readonly folder: string;
  /** How older snapshots are converted to the current format; the released ones, if left out. */
  readonly upcasters?: readonly SnapshotUpcaster[];
}

/** A loop's folder and the state folder around it, below which no link is followed. */
export interface RootedPlace extends LoopPlace {
  readonly root: string;
}
