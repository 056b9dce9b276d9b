export { type BackupMade, type BackupOptions, backUp, verifiedState } from './backup/back-up.ts';
export { planRestore, type RestorePlan } from './backup/restore.ts';
export { type CareFiles, nodeCareFiles } from './care/care-files.ts';
export {
  type CarePlace,
  type Leftover,
  leftoversOf,
  leftoversOfRoot,
  loopAsLeftover,
  type Retention,
  removeLeftovers,
  removeLoop,
  whileUnowned,
} from './care/collect.ts';
export { findOddities, isLockHeld, type Oddity, oddityAt, readWholeJournal } from './care/examine.ts';
export type { Checkpoint } from './checkpoint/write.ts';
export { createDocument } from './files/document.ts';
export { placeFile, readWhole, settleFile, writeFileDurably } from './files/durable.ts';
export { createExactReader, type ExactFile, type ExactReader } from './files/exact-reader.ts';
export type { FileInfo, FilePort, OpenFile } from './files/file-port.ts';
export { hasFolder, makeFolders } from './files/folders.ts';
export { nodeFiles } from './files/node-files.ts';
export { readEnd } from './files/read-end.ts';
export { type JournalEvidence, readEvidence, type SegmentEvidence } from './journal/evidence.ts';
export type { Fact, JournalEntry } from './journal/line.ts';
export type { Position } from './journal/position.ts';
export type { HeldLock, LockPort } from './lock/lock-port.ts';
export type { OwnerRecord, ProcessIdentity } from './lock/owner.ts';
export { sqliteLock } from './lock/sqlite-lock.ts';
export {
  createStore,
  type FoundLoop,
  type LoopOnDisk,
  type LoopStore,
  type RestoredLoop,
  type StoreOptions,
} from './loops.ts';
export type { OpenLoop } from './open-loop.ts';
export type { LoopPlace as LoopFolder, RootedPlace } from './place.ts';
export type { Problem } from './problem.ts';
export { readView } from './read-view.ts';
export { foreignLoops, readRegistry, registryPath, writeRegistry } from './registry/registry-file.ts';
export { type LockedRegistry, withRegistry } from './registry/registry-lock.ts';
export {
  copyRoomFile,
  makePrivateFolder,
  makeRoomFolder,
  putRoomFile,
  putRoomLink,
  removeRoomEntry,
  setRoomMode,
} from './room/room-files.ts';
export { parseDocument as parseState } from './snapshot.ts';
export type { SnapshotDocument } from './snapshot-format.ts';
export { listCheckpoints, type RecoverySource, storedDocuments } from './stored-documents.ts';
export { createVolatileRoot, linkFolder, removeVolatileRoots, type VolatileRoot } from './volatile-root.ts';
