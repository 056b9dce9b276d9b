import path from 'node:path';
import { extendFile, look, makeFolders, quietly, removeFileAt, writeFileDurably } from '../files/index.ts';
import { segmentOpened, segmentPath } from './journal/head.ts';
import { listSegments } from './journal/read.ts';
import { parseSegment } from './journal/segment-name.ts';
import { type OwnerRecord, removeOwner, writeOwner } from './lock/owner.ts';
import type { RootedPlace } from './place.ts';
import { journalFolder, journalOf } from './recover.ts';
import { prepareRoot } from './root.ts';
import { snapshotPath } from './snapshot.ts';

/** Where a replica ends; undefined before its first line. */
export interface ReplicaEnd {
  readonly segment: string;
  readonly bytes: number;
  readonly seq: number;
}

/** A line of a journal, with its line break. */
export interface ReplicaLine {
  readonly seq: number;
  readonly line: string;
}

/**
 * Writes the lines of a journal that is kept elsewhere into a loop's folder, where it can be read and continued like any
 * other. A head begins the segment that it names; `end` is where the lines so far ended.
 */
export function extendReplica(
  place: RootedPlace,
  lines: readonly ReplicaLine[],
  end: ReplicaEnd | undefined,
): ReplicaEnd | undefined {
  prepareRoot(place.files, place.root);
  makeFolders(place.files, place.root, journalFolder(place.folder));
  let now = end;
  let pending: string[] = [];
  const flush = () => {
    if (now === undefined || pending.length === 0) return;
    const bytes = Buffer.from(pending.join(''));
    extendFile(segmentPath(journalOf(place), now.segment), now.bytes, bytes);
    now = { ...now, bytes: now.bytes + bytes.byteLength };
    pending = [];
  };
  for (const { seq, line } of lines) {
    const segment = segmentBegunBy(line);
    if (segment !== undefined) {
      flush();
      now = { segment, bytes: 0, seq };
    }
    if (now === undefined) throw new TypeError(`The journal of ${place.loopId} does not begin with a head.`);
    pending.push(line);
    now = { ...now, seq };
  }
  flush();
  return now;
}

/** Whether a replica is still as its end says. */
export function isReplicaAt(place: RootedPlace, end: ReplicaEnd): boolean {
  const journal = journalOf(place);
  if (look(place.files, journal.folder) === undefined || listSegments(journal).at(-1) !== end.segment) return false;
  return look(place.files, segmentPath(journal, end.segment))?.size === end.bytes;
}

/** Removes what a replica has of the journal, and the state built from it; the files of attempts stay. */
export function clearReplica(place: RootedPlace): void {
  const journal = journalOf(place);
  removeOwner(place.files, place.folder);
  quietly(() => removeFileAt(snapshotPath(place.folder)));
  if (look(place.files, journal.folder) === undefined) return;
  for (const segment of listSegments(journal)) removeFileAt(segmentPath(journal, segment));
}

/** What stands beside the journal of a replica. */
export interface ReplicaState {
  /** The snapshot as its owner wrote it. */
  readonly snapshot?: string | undefined;
  /** Who drives the loop; nobody, if left out. */
  readonly owner?: OwnerRecord | undefined;
}

/** Writes what stands beside the journal. */
export function completeReplica(place: RootedPlace, { snapshot, owner }: ReplicaState): void {
  const { files, folder } = place;
  if (snapshot !== undefined) writeFileDurably(files, path.join(folder, 'state.json'), Buffer.from(snapshot));
  if (owner === undefined) removeOwner(files, folder);
  else writeOwner(files, folder, owner);
}

function segmentBegunBy(line: string): string | undefined {
  if (!line.includes(`"type":"${segmentOpened}"`)) return undefined;
  const { type, data } = JSON.parse(line) as { readonly type: unknown; readonly data?: { readonly segment?: unknown } };
  const segment = type === segmentOpened ? data?.segment : undefined;
  if (segment === undefined) return undefined;
  if (typeof segment !== 'string' || parseSegment(segment) === undefined) {
    throw new TypeError(`A journal names the segment ${JSON.stringify(segment)}.`);
  }
  return segment;
}
