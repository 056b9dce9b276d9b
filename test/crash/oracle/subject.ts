import { type FilePort, makeFolders, placeNewFile, settleFile, writeFileDurably } from '../../../src/files/index.ts';
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

/** What is under test: the store, or the store with a planted bug. */
export interface Subject {
  readonly openLoopFolders: (options: StoreOptions) => LoopFolders;
  readonly writeFileDurably: (files: FilePort, place: string, bytes: Uint8Array) => void;
  readonly placeNewFile: (files: FilePort, place: string, bytes: Uint8Array) => void;
  readonly settleFile: (files: FilePort, place: string) => void;
  readonly makeFolders: (files: FilePort, root: string, place: string) => void;
  readonly withRegistry: <Result>(place: LockedRegistry, patienceMs: number, action: () => Result) => Result;
  readonly readRegistry: typeof readRegistry;
  readonly writeRegistry: (place: LockedRegistry, document: SnapshotDocument) => void;
  /** Where the mirror of each journal is kept; without it, there is no mirror. */
  readonly mirrorRoot?: string;
  /** Wraps the disk that the store uses. */
  readonly wrap: (files: FilePort) => FilePort;
  /**
   * The same subject at its beginning, for a life of this name: what is random in it is the same in each life of that name, so
   * that equal lives leave equal images. Missing if nothing is random.
   */
  readonly startedAnew?: (life: string) => Subject;
}

export const realSubject: Subject = {
  openLoopFolders,
  writeFileDurably,
  placeNewFile,
  settleFile,
  makeFolders,
  withRegistry,
  readRegistry,
  writeRegistry,
  wrap: (files) => files,
};

/** Outside the state folder, like the user's own state folder. */
const mirrorRoot = '/home';

/** The same store, with or without a mirror as the scenario requires. */
export function subjectFor({ isGuarded }: { readonly isGuarded?: boolean }, subject: Subject): Subject {
  return isGuarded ? { ...subject, mirrorRoot } : subject;
}

/** The subject for one more life that is like others of this name. */
export function anew({ startedAnew, ...subject }: Subject, life: string): Subject {
  if (startedAnew === undefined) return subject;
  const { openLoopFolders } = startedAnew(life);
  return { ...subject, openLoopFolders, startedAnew };
}
