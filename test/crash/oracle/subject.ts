import { type FilePort, makeFolders, placeFile, settleFile, writeFileDurably } from '../../../src/files/index.ts';
import type { SnapshotDocument } from '../../../src/protocol/index.ts';
import {
  type LockedRegistry,
  type LoopFolders,
  openLoopFolders,
  readRegistry,
  type StoreOptions,
  withRegistry,
  writeRegistry,
} from '../../../src/store/index.ts';

/** What is under test: the store, or the store with a bug planted in it. */
export interface Subject {
  readonly openLoopFolders: (options: StoreOptions) => LoopFolders;
  readonly writeFileDurably: (files: FilePort, place: string, bytes: Uint8Array) => void;
  readonly placeFile: (files: FilePort, place: string, bytes: Uint8Array) => void;
  readonly settleFile: (files: FilePort, place: string) => void;
  readonly makeFolders: (files: FilePort, root: string, place: string) => void;
  readonly withRegistry: <Result>(place: LockedRegistry, patienceMs: number, action: () => Result) => Result;
  readonly readRegistry: typeof readRegistry;
  readonly writeRegistry: (place: LockedRegistry, document: SnapshotDocument) => void;
  /** Where a second copy of each journal is kept; none, if left out. */
  readonly mirrorRoot?: string;
  /** Stands between the store and the disk. */
  readonly wrap: (files: FilePort) => FilePort;
}

/** The store as it is. */
export const realSubject: Subject = {
  openLoopFolders,
  writeFileDurably,
  placeFile,
  settleFile,
  makeFolders,
  withRegistry,
  readRegistry,
  writeRegistry,
  wrap: (files) => files,
};

/** Outside the state folder, as the user's own state folder is. */
const mirrorRoot = '/home';

/** The same store, as the scenario wants it: with or without a second copy of the journal. */
export function subjectFor({ isGuarded }: { readonly isGuarded?: boolean }, subject: Subject): Subject {
  return isGuarded ? { ...subject, mirrorRoot } : subject;
}
