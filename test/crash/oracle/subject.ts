import {
  createStore,
  type FilePort,
  type LoopStore,
  makeFolders,
  type StoreOptions,
  writeFileDurably,
} from '../../../src/store/index.ts';

/** What is under test: the store, or the store with a bug planted in it. */
export interface Subject {
  readonly createStore: (options: StoreOptions) => LoopStore;
  readonly writeFileDurably: (files: FilePort, place: string, bytes: Uint8Array) => void;
  readonly makeFolders: (files: FilePort, root: string, place: string) => void;
  /** Stands between the store and the disk. */
  readonly wrap: (files: FilePort) => FilePort;
}

/** The store as it is. */
export const realSubject: Subject = { createStore, writeFileDurably, makeFolders, wrap: (files) => files };
