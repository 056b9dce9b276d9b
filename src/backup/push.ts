import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import { look, readWhole } from '../files/index.ts';
import type { Sealing } from './age.ts';
import { journalAfter, leadsFrom } from './journal-parts.ts';
import { addTo } from './levels.ts';
import { filesBelow, type LoopFolder } from './loop-files.ts';
import {
  backupName,
  digestOf,
  encodeManifest,
  type LoopNote,
  type Manifest,
  maxManifestBytes,
  type ObjectRef,
  parseManifest,
  parseManifestName,
} from './manifest.ts';
import { type Part, packParts, type StoredObject } from './pack.ts';
import { noProgress, type Progress } from './progress.ts';
import type { BackupTarget } from './target.ts';

/** The loop to back up, as it is now. */
export interface LoopSource extends LoopNote, LoopFolder {
  readonly loopId: string;
  /** The epoch of the loop's newest owner. */
  readonly epoch: number;
  /** Whether no further attempt can follow at an iteration that is not finished. */
  readonly isOver: boolean;
}

/** Where to back up to, and how. */
export interface PushPorts {
  readonly target: BackupTarget;
  /** Identifies the target and for whom it is encrypted. */
  readonly place: string;
  readonly sealing?: Sealing | undefined;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
  /** Keeps the progress, so that a later process continues. */
  readonly save: (progress: Progress) => void;
  /** How much of the files goes into one object. */
  readonly maxPartBytes?: number;
}

const usualPartBytes = 8 * 1024 * 1024;
/** Of the files that change: more than a loop ever has. */
const maxCurrentBytes = 32 * 1024 * 1024;

/**
 * Makes one backup: stores what is new in files that only grow, the files that change, and last the manifest. What is
 * stored is never changed, so a backup that was cut off leaves the one before it intact and is continued by the next.
 */
export async function pushBackup(
  source: LoopSource,
  before: Progress | undefined,
  ports: PushPorts,
): Promise<Progress> {
  const push = new Push(source, ports);
  return await push.run(before);
}

class Push {
  readonly #source: LoopSource;
  readonly #ports: PushPorts;
  #progress: Progress;
  #name = '';
  #objects = 0;
  #bytes = 0;

  constructor(source: LoopSource, ports: PushPorts) {
    this.#source = source;
    this.#ports = ports;
    this.#progress = noProgress(ports.place);
  }

  async run(before: Progress | undefined): Promise<Progress> {
    const known = before?.place === this.#ports.place ? before : undefined;
    const { newest: other, ...epochAndNumber } = await this.#nextName(known);
    this.#name = backupName(epochAndNumber);
    this.#progress = await this.#continued(known, other);
    // Before the journal, so that the journal contains everything that these files are based on.
    const current = this.#currentParts();
    const currentDigest = digestOf(
      Buffer.concat(current.flatMap(({ path: name, bytes }) => [Buffer.from(name), bytes])),
    );
    await this.#storeGrown();
    const { journal, last: newest } = this.#progress;
    // A key that was changed, or a command that waits, is no fact, and a backup without it may be of no use.
    const isUpToDate =
      this.#objects === 0 && newest?.seq === this.#source.seq && known?.currentDigest === currentDigest;
    if (isUpToDate && known?.last === newest && known.problem === undefined) return known;
    if (journal === undefined) throw new LoopError(failures.noStateToBackup(this.#source.loopId, this.#source.folder));
    const packed = await this.#pack(current, `current/${this.#name}-`);
    await this.#store(packed);
    const manifest = this.#manifest(epochAndNumber, { journal, current: packed.ref });
    await this.#storeManifest(manifest);
    await this.#ports.target.commit?.(this.#ports.signal);
    const { seq, iteration } = this.#source;
    const last = { name: this.#name, at: manifest.createdAt, seq, iteration, bytes: this.#bytes };
    const { problem: _problem, unconfirmed: _stored, ...settled } = this.#progress;
    this.#progress = { ...settled, last, currentDigest };
    this.#ports.save(this.#progress);
    return this.#progress;
  }

  /** The name after the newest backup there, if that is one of this loop as it is here. */
  async #nextName(
    known: Progress | undefined,
  ): Promise<Pick<Manifest, 'epoch' | 'number'> & { readonly newest?: Manifest }> {
    const { target, signal } = this.#ports;
    const { loopId, epoch, files, folder } = this.#source;
    const last = known?.last && parseManifestName(`${known.last.name}.json`);
    const after = known?.last === undefined ? undefined : `${known.last.name}.json`;
    const newest = (await target.list(`${loopId}/manifests`, after, signal)).findLast(
      (name) => parseManifestName(name) !== undefined,
    );
    if (newest === undefined) return { epoch, number: last?.epoch === epoch ? last.number + 1 : 1 };
    const name = newest.replace(/\.json$/, '');
    const bytes = await target.read(`${loopId}/manifests/${newest}`, maxManifestBytes, signal);
    const found = bytes && parseManifest(bytes, { loopId, name });
    if (found === undefined || found.epoch > epoch || !leadsFrom(files, folder, found.journal))
      throw this.#diverged(name);
    return { epoch, number: found.epoch === epoch ? found.number + 1 : 1, newest: found };
  }

  /**
   * A loop that was restored to an earlier state is sent as a whole; so is one whose progress is lost, and one that another
   * machine backed up since then, or of which stored objects are gone: what is there is not certain any more.
   */
  async #continued(known: Progress | undefined, newest: Manifest | undefined): Promise<Progress> {
    const { files, folder } = this.#source;
    if (known === undefined) return this.#progress;
    const isContinued = known.journal === undefined || leadsFrom(files, folder, known.journal);
    // A backup of this machine that it could not note any more has the same objects.
    const isOurs = newest === undefined || JSON.stringify(newest.levels) === JSON.stringify(known.levels);
    if (isContinued && isOurs && (newest !== undefined || (await this.#hasStored(known.unconfirmed ?? []))))
      return known;
    return { ...this.#progress, ...(known.last && { last: known.last }) };
  }

  async #hasStored(objects: readonly string[]): Promise<boolean> {
    const { target, signal } = this.#ports;
    for (const folder of ['packs', 'pages']) {
      const wanted = objects.flatMap((object) =>
        object.startsWith(`${folder}/`) ? [object.slice(folder.length + 1)] : [],
      );
      const [first] = wanted.toSorted();
      if (first === undefined) continue;
      const found = new Set(await target.list(`${this.#source.loopId}/${folder}`, first.slice(0, -1), signal));
      if (!wanted.every((name) => found.has(name))) return false;
    }
    return true;
  }

  /** Stores what is new of finished iterations and of the journal, in objects of a bounded size. */
  async #storeGrown(): Promise<void> {
    const { files, folder } = this.#source;
    const maxBytes = this.#ports.maxPartBytes ?? usualPartBytes;
    const batch = new Batch(maxBytes, async (parts, reached) => await this.#storeBatch(parts, reached));
    for (const iteration of this.#finishedIterations()) {
      for (const part of iterationParts(this.#source, iteration, maxBytes)) await batch.add(part);
      batch.reach({ iterations: iteration });
    }
    for (const { part, end } of journalAfter(files, folder, { end: this.#progress.journal, maxBytes })) {
      await batch.add(part);
      batch.reach({ journal: end });
    }
    await batch.flush();
  }

  async #storeBatch(parts: readonly Part[], reached: Partial<Progress>): Promise<void> {
    this.#objects += 1;
    const packed = await this.#pack(parts, `packs/${this.#name}-${String(this.#objects).padStart(4, '0')}-`);
    await this.#store(packed);
    const levels = await addTo(this.#progress.levels, packed.ref, async (refs) => await this.#storePage(refs));
    this.#progress = { ...this.#progress, ...reached, levels };
    // A target that stores everything at the end has nothing that could be continued.
    if (this.#ports.target.commit === undefined) this.#ports.save(this.#progress);
  }

  async #storePage(refs: readonly ObjectRef[]): Promise<ObjectRef> {
    const bytes = Buffer.from(`${JSON.stringify({ objects: refs })}\n`);
    const size = bytes.byteLength;
    const ref = { name: `pages/${this.#name}-${digestOf(bytes)}.json`, bytes: size, size };
    await this.#store({ ref, bytes });
    return ref;
  }

  async #pack(parts: readonly Part[], prefix: string): Promise<StoredObject> {
    const { sealing, nowMs } = this.#ports;
    return await packParts(parts, { prefix, nowMs: nowMs(), sealing });
  }

  // An object of this name has these bytes: its name contains their digest.
  async #store({ ref, bytes }: StoredObject): Promise<void> {
    const { target, signal } = this.#ports;
    if (await target.create(`${this.#source.loopId}/${ref.name}`, bytes, signal)) this.#bytes += bytes.byteLength;
    this.#progress = { ...this.#progress, unconfirmed: [...(this.#progress.unconfirmed ?? []), ref.name] };
  }

  #manifest(name: Pick<Manifest, 'epoch' | 'number'>, stored: Pick<Manifest, 'journal' | 'current'>): Manifest {
    const { loopId, seq, iteration, status } = this.#source;
    const { nowMs, sealing } = this.#ports;
    const createdAt = new Date(nowMs()).toISOString();
    const { levels } = this.#progress;
    return { loopId, ...name, createdAt, seq, iteration, status, isSealed: sealing !== undefined, ...stored, levels };
  }

  /** Creates the manifest and reads it back; one that is there and differs is that of another machine. */
  async #storeManifest(manifest: Manifest): Promise<void> {
    const { target, signal } = this.#ports;
    const bytes = encodeManifest(manifest);
    const folder = `${manifest.loopId}/manifests`;
    const name = `${folder}/${this.#name}.json`;
    // Another owner may have backed up meanwhile, and removed what it did not need.
    const later = await target.list(folder, `${this.#name}.json`, signal);
    if (later.some((each) => parseManifestName(each) !== undefined)) throw this.#diverged(later.at(-1) ?? '');
    if (await target.create(name, bytes, signal)) this.#bytes += bytes.byteLength;
    if (target.commit !== undefined) return;
    const stored = await target.read(name, maxManifestBytes, signal);
    if (stored === undefined || !bytes.equals(stored)) throw this.#diverged(this.#name);
  }

  #finishedIterations(): readonly number[] {
    const { files, folder, iteration, isOver } = this.#source;
    const { iterations: stored } = this.#progress;
    if (!isOver) return Array.from({ length: Math.max(0, iteration - stored) }, (_, index) => stored + index + 1);
    const place = path.join(folder, 'iterations');
    if (look(files, place)?.kind !== 'folder') return [];
    const numbers = files.list(place).flatMap((name) => (/^\d{3,9}$/.test(name) ? [Number(name)] : []));
    return numbers.filter((number) => number > stored).toSorted((one, other) => one - other);
  }

  /** The files that change, and the newest two checkpoints; they are small. */
  #currentParts(): readonly Part[] {
    const { files, folder } = this.#source;
    const top = filesBelow(this.#source, '', 1);
    const below = (name: string) => filesBelow(this.#source, name);
    const checkpoints = below('checkpoints').toSorted(byNumber).slice(-2);
    const chosen = [...top, ...below('analytics'), ...below('inbox'), ...checkpoints];
    let left = maxCurrentBytes;
    return chosen.flatMap(({ path: name, size }) => {
      left -= size;
      return left < 0
        ? []
        : [{ path: name, offset: 0, bytes: readWhole(files, path.join(folder, name), { limit: maxCurrentBytes }) }];
    });
  }

  #diverged(backup: string): LoopError {
    return new LoopError(failures.backupDiverged(this.#ports.target.where, this.#source.loopId, backup));
  }
}

/** Collects parts until there are enough for an object. */
class Batch {
  readonly #maxBytes: number;
  readonly #store: (parts: readonly Part[], reached: Partial<Progress>) => Promise<void>;
  #parts: Part[] = [];
  #bytes = 0;
  #reached: Partial<Progress> = {};

  constructor(maxBytes: number, store: (parts: readonly Part[], reached: Partial<Progress>) => Promise<void>) {
    this.#maxBytes = maxBytes;
    this.#store = store;
  }

  async add(part: Part): Promise<void> {
    if (this.#bytes > 0 && this.#bytes + part.bytes.byteLength > this.#maxBytes) await this.flush();
    this.#parts.push(part);
    this.#bytes += part.bytes.byteLength;
  }

  /** Notes what is complete with the parts added so far. */
  reach(reached: Partial<Progress>): void {
    this.#reached = { ...this.#reached, ...reached };
  }

  async flush(): Promise<void> {
    if (this.#parts.length === 0) return;
    const [parts, reached] = [this.#parts, this.#reached];
    this.#parts = [];
    this.#bytes = 0;
    await this.#store(parts, reached);
  }
}

function* iterationParts(source: LoopSource, iteration: number, maxBytes: number): Iterable<Part> {
  const { files, folder } = source;
  for (const { path: name, size } of filesBelow(source, `iterations/${String(iteration).padStart(3, '0')}`)) {
    const place = path.join(folder, name);
    for (let offset = 0; offset === 0 || offset < size; offset += maxBytes) {
      yield {
        path: name,
        offset,
        bytes: readWhole(files, place, { limit: Number.MAX_SAFE_INTEGER, from: offset, length: maxBytes }),
      };
    }
  }
}

function byNumber({ path: one }: { readonly path: string }, { path: other }: { readonly path: string }): number {
  return one.length - other.length || (one < other ? -1 : 1);
}
