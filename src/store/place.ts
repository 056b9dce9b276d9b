import type { FilePort } from '../files/index.ts';
import type { SnapshotUpcaster } from '../protocol/index.ts';

/** Protects the files of one loop on a disk, for example by encrypting them. */
export interface LoopProtection {
  /** The disk through which everything of the loop is read and written. */
  readonly files: FilePort;
  /** Throws if the loop cannot be read now. */
  unlock(): void;
  /** Restores what the protection itself needs, if somebody removed it; only for the loop's owner. */
  keep(): void;
  /** Whether a file of the loop may be written only with protection. */
  mustProtect(file: string): boolean;
  /** Protects a file that another program wrote as it is; one that is protected stays as it is. */
  protect(file: string): void;
}

/** Where a loop is, for whoever protects it. */
export interface ProtectedLocation {
  /** The disk as it is. */
  readonly files: FilePort;
  readonly loopId: string;
  readonly folder: string;
  /** The folder of the second copy of its journal. */
  readonly mirror?: string;
}

/** Protects loops; loops without protection are written as they are. */
export interface Protection {
  /** How an existing loop is protected; undefined if it is not. */
  loopAt(location: ProtectedLocation): LoopProtection | undefined;
  /** How a new loop is protected, if it is to be; `begin` makes that durable before anything else of the loop. */
  newLoopAt?(location: ProtectedLocation): LoopProtection & { begin(): void };
}

/** The file in which a protection keeps what it needs; copies of the journal have a copy of it. */
export const protectionFile = 'key.json';

/** One loop's folder on one disk. */
export interface LoopPlace {
  readonly files: FilePort;
  readonly loopId: string;
  readonly folder: string;
  /** How older snapshots are converted to the current format; the released ones, if left out. */
  readonly upcasters?: readonly SnapshotUpcaster[];
  /** Through which `files` works, if the loop is protected. */
  readonly protection?: LoopProtection;
}

/** A loop's folder and the state folder around it, below which no link is followed. */
export interface RootedPlace extends LoopPlace {
  readonly root: string;
}
