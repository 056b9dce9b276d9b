export { attemptFolder, attemptsOf, iterationsOf } from './attempts.ts';
export { type BackupMade, type BackupOptions, backUp, verifiedState } from './backup/back-up.ts';
export { backupName, backupStamp, compareBackups, parseBackupName } from './backup/names.ts';
export { planRestore, type RestorePlan } from './backup/restore.ts';
export {
  type CarePlace,
  holdUnowned,
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
export { walk as filesBelow } from './care/walk.ts';
export { maxCheckpoints } from './checkpoint/prune.ts';
export type { Checkpoint } from './checkpoint/write.ts';
export { type Following, followFacts, openFacts, readFactsOfLoop } from './follow.ts';
export { isTooDeep } from './journal/depth.ts';
export { type JournalEvidence, readEvidence, type SegmentEvidence } from './journal/evidence.ts';
export type { Fact, JournalEntry } from './journal/line.ts';
export { type Position, positionAfter } from './journal/position.ts';
export type { HeldLock, LockPort } from './lock/lock-port.ts';
export type { OwnerRecord, ProcessIdentity } from './lock/owner.ts';
export { sqliteLock } from './lock/sqlite-lock.ts';
export {
  type FoundLoop,
  type LoopCandidate,
  type LoopFolders,
  type LoopGlance,
  type LoopOnDisk,
  openLoopFolders,
  type RestoredLoop,
  type StoreOptions,
} from './loops.ts';
export { loopsInMirror, readMirroredFacts } from './mirror/mirror.ts';
export type { OpenLoop } from './open-loop.ts';
export type { LoopPlace as LoopFolder, LoopProtection, ProtectedLocation, Protection, RootedPlace } from './place.ts';
export type { Problem } from './problem.ts';
export { readView } from './read-view.ts';
export { foreignLoops, readRegistry, registryPath, writeRegistry } from './registry/registry-file.ts';
export { isAiwgRoot, type LockedRegistry, withRegistry, withRegistryHeld } from './registry/registry-lock.ts';
export { parseDocument as parseState } from './snapshot.ts';
export { listCheckpoints, type RecoverySource, storedDocuments } from './stored-documents.ts';
