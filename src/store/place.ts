import type { FilePort } from './files/file-port.ts';
import type { SnapshotUpcaster } from './snapshot-format.ts';

/** One loop's folder on one disk. */
export interface LoopPlace {
  readonly files: FilePort;
  readonly loopId: string;
  readonly folder: string;
  /** How older snapshots become today's; the released ones, if left out. */
  readonly upcasters?: readonly SnapshotUpcaster[];
}

/** A loop's folder and the state folder around it, below which no link is followed. */
export interface RootedPlace extends LoopPlace {
  readonly root: string;
}
