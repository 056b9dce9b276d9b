import { failures, LoopError } from '../../base/index.ts';
import {
  type FileInfo,
  type FilePort,
  look,
  type OpenFile,
  quietly,
  readWhole,
  writeAll,
  writing,
} from '../../files/index.ts';
import type { ProcessIdentity } from '../lock/owner.ts';
import { headFact, type JournalPlace, segmentPath } from './head.ts';
import { encodeLine, type Fact, type JournalEntry, type Link, origin } from './line.ts';
import type { Position } from './position.ts';
import { maxSegmentBytes } from './segment.ts';
import { formatSegment } from './segment-name.ts';

const rotationBytes = 8 * 1024 * 1024;

/** What a writer needs to know about its loop. */
export interface WriterOptions {
  readonly place: JournalPlace;
  readonly owner: ProcessIdentity;
  readonly epoch: number;
  readonly now: () => Date;
  /** The accepted end to continue from. */
  readonly end: Position | undefined;
  /** Throws when this process no longer owns the loop. */
  readonly verifyOwnership: () => void;
  /** Segments grow to about this size, 8 MiB if left out. */
  readonly segmentBytes?: number;
}

interface OpenSegment {
  readonly file: OpenFile;
  readonly path: string;
  readonly info: FileInfo;
}

/** Appends facts for one owner. When `append` returns, they are durable. */
export class JournalWriter {
  readonly #options: WriterOptions;
  #end: Position | undefined;
  #open: OpenSegment | undefined;
  #number = 0;
  #degraded = false;
  #latest: Uint8Array | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#end = options.end;
    this.#openSegment([]);
  }

  /** The end of what was acknowledged. */
  get end(): Position | undefined {
    return this.#end;
  }

  /** The bytes that the latest append wrote, at the end of its segment. */
  get latest(): Uint8Array | undefined {
    return this.#latest;
  }

  /** Whether a write or sync failed and the journal had to continue in a new segment. */
  get degraded(): boolean {
    return this.#degraded;
  }

  /** Whether the end of the journal may contain bytes that were refused and are not on disk, whatever a read shows. */
  get isInDoubt(): boolean {
    return this.#open === undefined;
  }

  /** Records facts with one write and one sync; throws when they could not be made durable. */
  append(facts: readonly Fact[]): readonly JournalEntry[] {
    if (facts.length === 0) return [];
    this.#options.verifyOwnership();
    if (!this.#isFull()) return this.#continue(facts);
    this.#assertWhole();
    return this.#openSegment(facts);
  }

  close(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open) quietly(() => this.#options.place.files.close(open.file));
  }

  #isFull(): boolean {
    return (this.#end?.bytes ?? 0) >= (this.#options.segmentBytes ?? rotationBytes);
  }

  // The next segment vouches for this one.
  #assertWhole(): void {
    const [open, end] = [this.#open, this.#end];
    if (open && end) assertKept(open, look(this.#options.place.files, open.path), end.bytes);
  }

  #continue(facts: readonly Fact[]): readonly JournalEntry[] {
    const open = this.#open;
    const end = this.#end;
    if (!open || !end) return this.#openSegment(facts);
    const batch = this.#encode(facts, end);
    const { files } = this.#options.place;
    try {
      assertUntouched(open, files.look(open.path), end.bytes);
      writeAll(files, open.file, batch.bytes);
      files.syncData(open.file);
      assertLanded(files, open.path, { at: end.bytes, bytes: batch.bytes });
    } catch (error) {
      if (error instanceof LoopError) throw error;
      // After a failed write or sync the content of the disk is unknown, and trying again would hide that.
      this.close();
      this.#degraded = true;
      return this.#openSegment(facts);
    }
    this.#confirm();
    this.#end = { segment: end.segment, bytes: end.bytes + batch.bytes.byteLength, ...batch.link };
    this.#latest = batch.bytes;
    return batch.entries;
  }

  #openSegment(facts: readonly Fact[]): readonly JournalEntry[] {
    const { place, owner, epoch } = this.#options;
    this.#number += 1;
    const segment = formatSegment({ epoch, number: this.#number });
    const head = headFact({ loopId: place.loopId, segment, owner, previous: this.#end ?? null });
    const batch = this.#encode([head, ...facts], this.#end ?? origin);
    const path = segmentPath(place, segment);
    const opened = writing(path, () => createSegment(place, path, batch.bytes));
    this.close();
    this.#open = { path, ...opened };
    this.#confirm();
    this.#end = { segment, bytes: batch.bytes.byteLength, ...batch.link };
    this.#latest = batch.bytes;
    return batch.entries.slice(1);
  }

  // Still the owner after the sync: whoever takes the loop over from now on reads these bytes too.
  #confirm(): void {
    try {
      this.#options.verifyOwnership();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #encode(facts: readonly Fact[], before: Link) {
    const { epoch, now } = this.#options;
    const at = now().toISOString();
    const entries: JournalEntry[] = [];
    const lines: Buffer[] = [];
    let link = before;
    for (const { type, data } of facts) {
      const entry = { seq: link.seq + 1, at, epoch, type, data };
      const line = encodeLine(entry, link);
      entries.push(entry);
      lines.push(line.bytes);
      link = line.link;
    }
    return { entries, bytes: Buffer.concat(lines), link };
  }
}

function createSegment(place: JournalPlace, path: string, bytes: Buffer): { file: OpenFile; info: FileInfo } {
  const { files, folder } = place;
  const file = files.create(path);
  try {
    writeAll(files, file, bytes);
    files.syncData(file);
    files.syncFolder(folder);
    assertLanded(files, path, { at: 0, bytes });
    return { file, info: files.lookAt(file) };
  } catch (error) {
    quietly(() => files.close(file));
    quietly(() => files.remove(path));
    throw error;
  }
}

// Bytes that someone else appended make the segment unusable, not the loop: an ordinary error starts a new one.
function assertUntouched(open: { path: string; info: FileInfo }, found: FileInfo | undefined, bytes: number): void {
  assertKept(open, found, bytes);
  if (found && found.size > bytes) throw new Error('foreign bytes');
}

// Someone who writes to the segment at the same moment pushes a batch to where no reader finds it. What is shortened or
// replaced meanwhile is noticed by the next append, and restored then.
function assertLanded(
  files: FilePort,
  path: string,
  { at, bytes }: { readonly at: number; readonly bytes: Buffer },
): void {
  const size = files.look(path)?.size ?? 0;
  if (size <= at + bytes.byteLength) return;
  const landed = readWhole(files, path, { limit: maxSegmentBytes, from: at, length: bytes.byteLength });
  if (!landed.equals(bytes)) throw new Error('foreign bytes');
}

function assertKept(open: { path: string; info: FileInfo }, found: FileInfo | undefined, bytes: number): void {
  if (found?.inode !== open.info.inode || found.device !== open.info.device) {
    throw new LoopError(failures.stateTampered(open.path, 'removed or replaced'));
  }
  if (found.size < bytes) throw new LoopError(failures.stateTampered(open.path, 'shortened'));
}
