import path from 'node:path';
import { failures, isLoopId, LoopError } from '../base/index.ts';
import { type FilePort, hasFolder, look, makeFolders, nodeFiles, reading, writing } from '../files/index.ts';
import type { Liveness } from '../process/index.ts';
import type { SnapshotDocument, SnapshotUpcaster } from '../protocol/index.ts';
import { planRestore, putSupersededAside, type RestorePlan } from './backup/restore.ts';
import { glanceAt, lastSnapshotEnd } from './glance.ts';
import { segmentPath } from './journal/head.ts';
import type { JournalEntry } from './journal/line.ts';
import { listSegments } from './journal/read.ts';
import { acquireLock } from './lock/acquire.ts';
import type { LockPort } from './lock/lock-port.ts';
import { type OwnerRecord, type ProcessIdentity, readOwner } from './lock/owner.ts';
import { sqliteLock } from './lock/sqlite-lock.ts';
import { guardLoop } from './mirror/guard.ts';
import { createMirror, type Mirror } from './mirror/mirror.ts';
import { recoverWith } from './mirror/recover-with.ts';
import { type OpenLoop, takeOver } from './open-loop.ts';
import type { LoopPlace, LoopProtection, Protection, RootedPlace } from './place.ts';
import { assertUnused, isInUse } from './place-in-use.ts';
import type { Problem } from './problem.ts';
import { journalOf, type Recovery, recover } from './recover.ts';
import { prepareRoot } from './root.ts';
import type { RecoverySource } from './stored-documents.ts';

/** Where the loops are, and the calling process. */
export interface StoreOptions {
  /** The state folder, absolute. */
  readonly root: string;
  /** This process. */
  readonly owner: ProcessIdentity;
  /** Whether a process is alive, as far as this machine can tell; called when a loop is read or opened. */
  readonly livenessOf: (identity: ProcessIdentity) => Liveness;
  readonly now: () => Date;
  /** Where a second copy of each journal is kept, absolute; none, if left out. */
  readonly mirrorRoot?: string;
  /** The real disk, if left out. */
  readonly files?: FilePort;
  /** The kernel's lock, if left out. */
  readonly lock?: LockPort;
  /** Waits while another program may still be changing a loop's files; does nothing, if left out. */
  readonly wait?: (ms: number) => void;
  /** How large a journal segment may grow. */
  readonly segmentBytes?: number;
  /** How loops are protected on disk; not at all, if left out. */
  readonly protection?: Protection;
  /** How older snapshots are converted to the current format; the released ones, if left out. */
  readonly upcasters?: readonly SnapshotUpcaster[];
}

/** A loop that was restored to an earlier state. */
export interface RestoredLoop {
  readonly open: OpenLoop;
  readonly plan: RestorePlan;
  /** The files that no longer count, below the loop's folder. */
  readonly superseded: readonly string[];
}

/** A loop on disk, read without changing it. */
export interface LoopOnDisk {
  readonly loopId: string;
  readonly folder: string;
  readonly snapshot?: SnapshotDocument;
  /** The facts that the snapshot does not include; all of them if there is none. */
  readonly entries: readonly JournalEntry[];
  readonly lastSeq: number;
  readonly problems: readonly Problem[];
  readonly source: RecoverySource;
  /** Who drives the loop, or died driving it; undefined after a clean exit. */
  readonly owner: (OwnerRecord & { readonly liveness: Liveness }) | undefined;
}

/** An existing loop. */
export interface FoundLoop {
  readonly loopId: string;
  /** Reads it, whoever owns it; never writes. */
  read(): LoopOnDisk;
  /**
   * Reads no more of it than its view, as its owner wrote it, and checks the size of its journal; undefined if that
   * is not enough. Damage inside the journal goes unnoticed.
   */
  glance(): LoopGlance | undefined;
}

/** A folder with the name of a loop. */
export interface LoopCandidate extends FoundLoop {
  /** Whether it is a loop; a folder of another tool is none. One whose glance succeeds is a loop. */
  isLoop(): boolean;
  /** The view that its owner wrote last, in its snapshot; it may be out of date. */
  lastSnapshot(): SnapshotDocument | undefined;
}

/** What a caller needs that only shows a loop. */
export type LoopGlance = Pick<LoopOnDisk, 'loopId' | 'folder' | 'snapshot' | 'lastSeq' | 'problems' | 'owner'>;

/** How a loop is opened. */
export interface OpenChoice {
  /** Take it from an owner that cannot be checked. */
  readonly force?: boolean;
  /** The epoch of the new owner, where somebody else gives them out: at least this one. */
  readonly epoch?: number;
}

/** All loops of one state folder. */
export interface LoopFolders {
  /** The existing loops, sorted by id; foreign files and folders are skipped. */
  loops(): readonly FoundLoop[];
  /** Their ids. */
  list(): readonly string[];
  /** What may be a loop, sorted by id, without a look into any folder; all of it, unless only some ids are wanted. */
  candidates(isWanted?: (loopId: string) => boolean): readonly LoopCandidate[];
  /** Whether a loop with exactly this id exists. */
  has(loopId: string): boolean;
  /** Where a loop is or would be, whether or not it exists. */
  locate(loopId: string): RootedPlace;
  /** Whether the files of a loop are protected, and can be read only by those who can unlock it. */
  isProtected(loopId: string): boolean;
  /** Creates the state folder, if it does not exist. */
  prepare(): void;
  /** Creates a loop and becomes its owner. */
  create(loopId: string, options?: Pick<OpenChoice, 'epoch'>): OpenLoop;
  /** Sets a loop without an owner aside, with its mirror; returns where its files are now. Nothing is deleted. */
  putAside(loopId: string): readonly string[];
  /** Becomes the owner of a loop, recovering it if necessary; `force` takes it from an owner that cannot be checked. */
  open(loopId: string, options?: OpenChoice): OpenLoop;
  /** Reads a loop, whoever owns it; never writes. */
  read(loopId: string): LoopOnDisk;
  /** Who drives a loop, or died driving it; undefined after a clean exit. Reads nothing else. */
  owner(loopId: string): LoopOnDisk['owner'];
  /** The same for a loop whose place was found just now. */
  ownerAt(place: LoopPlace): LoopOnDisk['owner'];
  /** A text that changes with every fact and every owner of a loop, even if the owner dies; reads only the owner. */
  mark(loopId: string): string;
  /** Where an existing loop is. */
  place(loopId: string): RootedPlace;
  /**
   * Becomes the owner of a loop as a checkpoint or backup has it. What was recorded later stops counting and is
   * kept as `*.superseded`. `check` may still refuse, before anything is changed; it names the folders, below the
   * loop's, that go with the facts that no longer count.
   */
  restore(loopId: string, file: string, check: (plan: RestorePlan) => readonly string[]): RestoredLoop;
}

/** The loops under a state folder. */
export function openLoopFolders(options: StoreOptions): LoopFolders {
  const { root, files = nodeFiles } = options;
  const loops = path.join(root, 'loops');
  const { mirrorRoot, protection } = options;
  const { locationOf, protectedPlace } = placesIn(loops, options);
  const placeOf = (loopId: string) => protectedPlace(loopId, protection?.loopAt(locationOf(loopId)));
  const isHere = (place: RootedPlace) => hasFolder(files, root, place.folder) && isInUse(place);
  const found = (loopId: string) => {
    const place = placeOf(loopId);
    if (isLoopId(loopId) && isHere(place)) return place;
    throw new LoopError(failures.loopNotFound(loopId, root));
  };
  const mirrorOf = (place: RootedPlace) =>
    mirrorRoot === undefined ? undefined : createMirror(place, path.join(mirrorRoot, place.loopId));
  const own = (place: RootedPlace, from: () => Recovery, epoch = 1) => takeLock({ ...options, epoch }, place, from);
  const guard = (open: OpenLoop, mirror: Mirror | undefined) => (mirror ? guardWith(mirror, open, options) : open);

  const candidates: LoopFolders['candidates'] = (isWanted = () => true) =>
    folderNames(files, root, loops).flatMap((loopId) =>
      isWanted(loopId) ? candidateAt(placeOf(loopId), options.livenessOf) : [],
    );
  const existing = () => candidates().filter((candidate) => candidate.isLoop());

  return {
    loops: existing,
    candidates,
    list: () => existing().map(({ loopId }) => loopId),
    has: (loopId) => isLoopId(loopId) && isHere(placeOf(loopId)),
    locate: placeOf,
    isProtected: (loopId) => isLoopId(loopId) && placeOf(loopId).protection !== undefined,
    prepare: () => void prepareRoot(files, root),
    create(loopId, { epoch } = {}) {
      if (!isLoopId(loopId)) throw new RangeError(`"${loopId}" is not a loop id.`);
      const by = protection?.newLoopAt?.(locationOf(loopId));
      const place = protectedPlace(loopId, by);
      prepareRoot(files, root);
      makeFolders(files, root, place.folder);
      assertUnused(place);
      const mirror = mirrorOf(place);
      const open = own(place, () => beginAt(place, mirror, by), epoch);
      return guard(open, mirror);
    },
    putAside: (loopId) => putAside(placeOf(loopId), options),
    open(loopId, { force = false, epoch } = {}) {
      const place = placeOf(loopId);
      const mirror = isLoopId(loopId) ? mirrorOf(place) : undefined;
      // A loop whose folder was deleted while no process drove it is still in its mirror.
      const lost = mirror?.hasContent() && !isHere(place) ? mirror : undefined;
      if (!lost) found(loopId);
      place.protection?.unlock();
      lost?.makeWay();
      const open = own(place, () => continueAt(place, mirror, force ? undefined : options), epoch);
      return guard(open, mirror);
    },
    read(loopId) {
      const place = found(loopId);
      return readLoop(place, options.livenessOf);
    },
    owner: (loopId) => ownerOf(found(loopId), options.livenessOf),
    ownerAt: (place) => ownerOf(place, options.livenessOf),
    mark: (loopId) => markOf(found(loopId), options.livenessOf),
    place: found,
    restore(loopId, file, check) {
      const place = found(loopId);
      place.protection?.unlock();
      const restored = restoreFrom(place, options, { file, check });
      const mirror = mirrorOf(place);
      mirror?.discard(); // it contains what no longer counts
      return { ...restored, open: guard(restored.open, mirror) };
    },
  };
}

/** The state of a loop that does not exist yet. */
function beginAt(
  place: RootedPlace,
  mirror: Mirror | undefined,
  by: ReturnType<NonNullable<Protection['newLoopAt']>> | undefined,
): Recovery {
  assertUnused(place);
  mirror?.discard(); // of an earlier loop of this name
  by?.begin();
  return recover(place);
}

/** The state of an existing loop, unless its owner may live elsewhere. */
function continueAt(place: RootedPlace, mirror: Mirror | undefined, refuse: StoreOptions | undefined): Recovery {
  if (refuse) assertNotElsewhere(place, refuse);
  return mirror ? recoverWith(mirror, place) : recover(place);
}

/** Where loops are, and what is needed to read and write them. */
function placesIn(loops: string, { root, files = nodeFiles, upcasters, mirrorRoot }: StoreOptions) {
  return {
    locationOf: (loopId: string) => ({
      files,
      loopId,
      folder: path.join(loops, loopId),
      ...(mirrorRoot !== undefined && { mirror: path.join(mirrorRoot, loopId) }),
    }),
    protectedPlace: (loopId: string, by: LoopProtection | undefined): RootedPlace => ({
      files: by?.files ?? files,
      root,
      loopId,
      folder: path.join(loops, loopId),
      ...(upcasters && { upcasters }),
      ...(by && { protection: by }),
    }),
  };
}

function restoreFrom(
  place: RootedPlace,
  options: StoreOptions,
  { file, check }: { readonly file: string; readonly check: (plan: RestorePlan) => readonly string[] },
): RestoredLoop {
  let folders: readonly string[] = [];
  let plan: RestorePlan | undefined;
  const open = takeLock(options, place, () => {
    assertNotElsewhere(place, options);
    plan = planRestore(place, file);
    folders = check(plan);
    return plan.recovery;
  });
  if (!plan) throw new TypeError('The loop was opened without being recovered.');
  const superseded = putSupersededAside(place, { end: plan.position, folders, now: options.now() });
  return { open, plan, superseded };
}

function putAside(place: RootedPlace, { lock = sqliteLock, mirrorRoot }: StoreOptions): readonly string[] {
  const { files, root, folder, loopId } = place;
  if (!isLoopId(loopId)) throw new RangeError(`"${loopId}" is not a loop id.`);
  const isThere = hasFolder(files, root, folder);
  const mirror = mirrorRoot === undefined ? undefined : path.join(mirrorRoot, loopId);
  using _ownership = isThere ? acquireLock({ ...place, lock }) : undefined;
  const folders = [...(isThere ? [folder] : []), ...(mirror && look(files, mirror) ? [mirror] : [])];
  return folders.map((each) => moveAside(files, each));
}

/** Becomes the owner of a loop, or leaves it as it was. */
function takeLock(
  options: StoreOptions & { readonly epoch?: number },
  place: RootedPlace,
  recovered: () => Recovery,
): OpenLoop {
  const ownership = acquireLock({ ...place, lock: options.lock ?? sqliteLock });
  try {
    return takeOver({ ...options, place, ownership }, recovered());
  } catch (error) {
    ownership.release();
    throw error;
  }
}

/**
 * A free lock means that no process on this machine drives the loop. It proves nothing about another machine that
 * shares the disk: an owner there is treated as alive until known otherwise.
 */
function assertNotElsewhere({ files, folder, loopId }: RootedPlace, { owner: self, livenessOf }: StoreOptions): void {
  const owner = readOwner(files, folder);
  if (owner === undefined || owner.bootId === self.bootId || livenessOf(owner) !== 'unknown') return;
  throw new LoopError(failures.ownerUnknown(loopId, owner));
}

function guardWith(mirror: Mirror, open: OpenLoop, options: StoreOptions): OpenLoop {
  const { place } = open;
  const reopen = (prepare: () => void) =>
    takeLock(options, place, () => {
      prepare();
      return recover(place);
    });
  return guardLoop(open, { mirror, reopen, wait: options.wait ?? waitFor });
}

function waitFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function readLoop(place: LoopPlace, livenessOf: StoreOptions['livenessOf']): LoopOnDisk {
  const owner = ownerOf(place, livenessOf);
  const { snapshot, entries, problems, end, source } = recover(place);
  return {
    loopId: place.loopId,
    folder: place.folder,
    ...(snapshot && { snapshot }),
    entries,
    lastSeq: end?.seq ?? 0,
    source,
    // A live owner may be in the middle of a write.
    problems:
      owner !== undefined && owner.liveness !== 'dead'
        ? problems.filter((problem) => problem.kind !== 'torn_tail')
        : problems,
    owner,
  };
}

function candidateAt(place: LoopPlace, livenessOf: StoreOptions['livenessOf']): LoopCandidate {
  const { loopId, folder } = place;
  return {
    loopId,
    isLoop: () => isInUse(place),
    read: () => readLoop(place, livenessOf),
    lastSnapshot: () => lastSnapshotEnd(place)?.document,
    glance() {
      const owner = ownerOf(place, livenessOf);
      const seen = glanceAt(place);
      return seen && { loopId, folder, snapshot: seen.document, lastSeq: seen.position.seq, problems: [], owner };
    },
  };
}

function ownerOf({ files, folder }: LoopPlace, livenessOf: StoreOptions['livenessOf']): LoopOnDisk['owner'] {
  const record = readOwner(files, folder);
  return record && { ...record, liveness: livenessOf(record) };
}

function markOf(place: LoopPlace, livenessOf: StoreOptions['livenessOf']): string {
  const journal = journalOf(place);
  const owner = ownerOf(place, livenessOf);
  const newest = listSegments(journal).at(-1);
  const size = newest === undefined ? 0 : (look(place.files, segmentPath(journal, newest))?.size ?? 0);
  return `${newest ?? ''}:${size}:${owner === undefined ? '' : `${owner.epoch} ${owner.liveness}`}`;
}

/** The folders that are named like a loop, in order. */
function folderNames(files: FilePort, root: string, loops: string): readonly string[] {
  if (!hasFolder(files, root, loops)) return [];
  return reading(loops, () => files.listFolders(loops))
    .filter(isLoopId)
    .toSorted();
}

/** Gives a folder a name that no loop has. */
function moveAside(files: FilePort, folder: string): string {
  const parent = path.dirname(folder);
  const aside = path.join(parent, `.${path.basename(folder)}.${files.uniqueName()}.discarded`);
  writing(folder, () => {
    files.rename(folder, aside);
    files.syncFolder(parent);
  });
  return aside;
}
