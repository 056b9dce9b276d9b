import path from 'node:path';
import {
  hasFolder,
  look,
  makeFolders,
  placeFolders,
  quietly,
  readWhole,
  writeFileDurably,
  writing,
} from '../files/index.ts';
import type { SnapshotDocument } from '../protocol/index.ts';
import { attemptFolder } from './attempts.ts';
import { type BackupMade, type BackupOptions, backUp } from './backup/back-up.ts';
import { type IsKept, pruneCheckpoints } from './checkpoint/prune.ts';
import { type Checkpoint, writeCheckpoint } from './checkpoint/write.ts';
import { segmentPath } from './journal/head.ts';
import type { Fact, JournalEntry } from './journal/line.ts';
import type { Position } from './journal/position.ts';
import { maxSegmentBytes } from './journal/segment.ts';
import { JournalWriter } from './journal/writer.ts';
import type { Ownership } from './lock/acquire.ts';
import { hasOwnerNote, type ProcessIdentity, removeOwner, writeOwner } from './lock/owner.ts';
import type { RootedPlace } from './place.ts';
import type { Problem } from './problem.ts';
import { keepOriginal, putCutOffAside, putSnapshotAside, removeLeftovers } from './put-aside.ts';
import { journalFolder, journalOf, type Recovery } from './recover.ts';
import { createReserve } from './reserve.ts';
import { makeLoopFolder, prepareRoot } from './root.ts';
import { type SnapshotForm, writeSnapshot } from './snapshot.ts';
import type { RecoverySource } from './stored-documents.ts';

/** A loop that this process owns. Every call that returns has made its effect durable. */
export interface OpenLoop extends Disposable {
  readonly loopId: string;
  readonly folder: string;
  readonly place: RootedPlace;
  /** Increases with every owner. */
  readonly epoch: number;
  /** What was found when the loop was opened. */
  readonly recovered: {
    readonly snapshot?: SnapshotDocument;
    /** The facts that the snapshot does not include; all of them if there is none. */
    readonly entries: readonly JournalEntry[];
    readonly problems: readonly Problem[];
  };
  /** What it was recovered from. */
  readonly recoveredFrom: RecoverySource;
  /** Where the journal ended when the loop was opened; undefined for a new one. */
  readonly recoveredEnd: Position | undefined;
  /** Whether the disk failed a write since the loop was opened. */
  readonly degraded: boolean;
  /** Whether the disk is full: the space reserved for a pause is in use. */
  readonly isDiskFull: boolean;
  /** The number of the last line recorded. */
  readonly lastSeq: number;
  /** Throws when this process no longer owns the loop. */
  verify(): void;
  /** Records facts, all with one sync; they are durable when this returns. */
  append(facts: readonly Fact[]): readonly JournalEntry[];
  /** Replaces `state.json` with a document that contains everything recorded so far; not compressed, unless that is asked for. */
  writeSnapshot(document: SnapshotDocument, form?: SnapshotForm): void;
  /** The end of everything recorded so far. */
  readonly position: Position | undefined;
  /** What the latest append wrote just before that end. */
  readonly latest: Uint8Array | undefined;
  /** Keeps a state permanently; the returned file is durable. */
  writeCheckpoint(checkpoint: Checkpoint): string;
  /** Removes the checkpoints that the loop can do without; returns which. `intact` was written just now. */
  pruneCheckpoints(isKept: IsKept, intact?: string): readonly string[];
  /** Copies `state.json` into `backups/`. */
  backUp(options: Omit<BackupOptions, 'now'>): BackupMade;
  /** Replaces a file that can be rebuilt from the journal, named by its path below the loop's folder. */
  writeView(names: readonly string[], bytes: Uint8Array): void;
  /** The folder for the files of one attempt, created if necessary; a power cut may take it until it is settled. */
  iterationFolder(iteration: number, attempt: number): string;
  /** Makes a folder of an attempt durable. */
  settleFolder(folder: string): void;
  /** The loop has ended permanently: nothing outside its folder is kept for it any longer. */
  forget(): void;
  /** Releases the loop cleanly. */
  close(): void;
}

/** What is needed to continue a loop whose lock is held. */
export interface Takeover {
  readonly place: RootedPlace;
  readonly ownership: Ownership;
  readonly owner: ProcessIdentity;
  readonly now: () => Date;
  readonly segmentBytes?: number;
  /** At least this epoch. */
  readonly epoch?: number;
}

/** Starts a new epoch of a loop after what was recovered. */
export function takeOver(takeover: Takeover, recovery: Recovery): OpenLoop {
  const { place, ownership, now } = takeover;
  const { files, folder, loopId } = place;
  const epoch = Math.max(recovery.epoch + 1, takeover.epoch ?? 1);
  settle(place, recovery);
  if (recovery.hasBadSnapshot) putSnapshotAside(place, now());
  if (recovery.migratedFrom !== undefined) keepOriginal(place, recovery.migratedFrom);
  removeLeftovers(place);
  const writer = startWriting(takeover, epoch, recovery.end);
  putCutOffAside(place, recovery.cutOff);
  const reserve = createReserve(place);

  const { snapshot, entries, problems, source } = recovery;
  const close = () => {
    const { isInDoubt } = writer;
    writer.close();
    reserve.release();
    if (isStillOurs(ownership) && !isInDoubt) removeOwner(files, folder);
    ownership.release();
  };
  const asOwner = () => {
    ownership.verify();
    hasFolder(files, place.root, folder);
  };

  return {
    loopId,
    folder,
    place,
    epoch,
    recovered: { ...(snapshot && { snapshot }), entries, problems },
    recoveredFrom: source,
    recoveredEnd: recovery.end,
    get degraded() {
      return writer.degraded;
    },
    get lastSeq() {
      return writer.end?.seq ?? 0;
    },
    get isDiskFull() {
      return reserve.isUsed;
    },
    verify: asOwner,
    append: (facts) => reserve.spend(() => writer.append(facts)),
    writeSnapshot(document, { compress } = { compress: false }) {
      asOwner();
      const { end: position } = writer;
      if (position) reserve.spend(() => saveSnapshot(place, { document, position, compress }));
    },
    get position() {
      return writer.end;
    },
    get latest() {
      return writer.latest;
    },
    writeCheckpoint(checkpoint) {
      asOwner();
      return writeCheckpoint(place, checkpoint);
    },
    pruneCheckpoints(isKept, intact) {
      asOwner();
      return pruneCheckpoints(place, isKept, intact);
    },
    backUp(options) {
      asOwner();
      return backUp(place, { ...options, now: now() });
    },
    writeView(names, bytes) {
      asOwner();
      const file = path.join(folder, ...names);
      makeLoopFolder(place, path.dirname(file));
      writeFileDurably(files, file, bytes);
    },
    iterationFolder: (iteration, attempt) => makeIterationFolder(place, iteration, attempt),
    settleFolder: (settled) => makeFolders(files, place.root, settled),
    forget: () => {},
    close,
    [Symbol.dispose]: close,
  };
}

function saveSnapshot(place: RootedPlace, snapshot: Parameters<typeof writeSnapshot>[1]): void {
  place.protection?.keep();
  writeSnapshot(place, snapshot);
}

function startWriting(takeover: Takeover, epoch: number, end: Position | undefined): JournalWriter {
  const { place, ownership, owner, now, segmentBytes } = takeover;
  const { files, folder } = place;
  writeOwner(files, folder, { ...owner, epoch, since: now().toISOString() });
  try {
    return new JournalWriter({
      place: journalOf(place),
      owner,
      epoch,
      now,
      end,
      verifyOwnership: ownership.verify,
      ...(segmentBytes !== undefined && { segmentBytes }),
    });
  } catch (error) {
    removeOwner(files, folder);
    throw error;
  }
}

// What an earlier owner wrote may be in memory only; the new segment must not vouch for bytes that a power cut takes.
function settle(place: Takeover['place'], recovery: Recovery): void {
  const { files, folder, root } = place;
  const journal = journalFolder(folder);
  makeFolders(files, root, journal);
  quietly(() => files.syncFolder(path.dirname(root))); // it may be a folder that this user cannot read
  for (const level of [root, path.dirname(folder), folder, journal]) {
    writing(level, () => files.syncFolder(level));
  }
  place.protection?.keep();
  if (!recovery.end) return;
  const file = segmentPath(journalOf(place), recovery.end.segment);
  if (look(files, file) === undefined) return;
  // A sync that failed leaves bytes that can be read but are not on disk, and the next sync does not report it. After an
  // owner that did not exit cleanly only rewritten bytes can be trusted: a fence around what was read would, after
  // a power cut, cut off everything after it. That is one segment at most, once per crash.
  if (hasOwnerNote(files, folder)) {
    writeFileDurably(files, file, readWhole(files, file, { limit: maxSegmentBytes }));
    return;
  }
  writing(file, () => {
    const open = files.openToRead(file);
    try {
      files.syncData(open);
    } finally {
      files.close(open);
    }
  });
}

function makeIterationFolder(place: Takeover['place'], iteration: number, attempt: number): string {
  if (!Number.isSafeInteger(iteration) || iteration < 0 || !Number.isSafeInteger(attempt) || attempt < 1) {
    throw new RangeError(`There is no attempt ${attempt} of iteration ${iteration}.`);
  }
  const folder = attemptFolder(place, { iteration, attempt });
  // An agent that deleted only this file would commit the loop's state with its next "git add".
  prepareRoot(place.files, place.root);
  placeFolders(place.files, place.root, folder);
  return folder;
}

function isStillOurs(ownership: Ownership): boolean {
  let ours = false;
  quietly(() => {
    ownership.verify();
    ours = true;
  });
  return ours;
}
