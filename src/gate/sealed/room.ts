import { lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  copyRoomFile,
  makePrivateFolder,
  makeRoomFolder,
  putRoomFile,
  putRoomLink,
  removeRoomEntry,
  setRoomMode,
} from '../../files/index.ts';
import { joinRaw, type RawPath, toBytes, toRaw, toText } from '../../workspace/index.ts';
import type { CandidateFile } from '../candidate/candidate.ts';
import { type CopiedEntry, digestOfFile } from './copy-tree.ts';
import { type Environment, environmentDamaged } from './environment.ts';
import { SealedObstacle } from './obstacles.ts';
import { stampOf } from './stamps.ts';

/** The folder in which sealed checks run: the work as it was read, and the environment from before any agent ran. */
export interface Room {
  /** The counterpart of the top of the work tree. */
  readonly tree: string;
  readonly home: string;
  readonly temporary: string;
  /** Removes what earlier checks created or changed, and empties the home and the folder for temporary files. */
  clean(): Promise<void>;
  /** Adds everything of the environment that is missing. */
  populate(environment: Environment, options: PopulateOptions): Promise<void>;
  /** Writes one file of the work. */
  receive(file: CandidateFile, bytes: Buffer): void;
  /** Writes an original protected file instead of the work's own. */
  putProtected(entry: CopiedEntry, from: string): void;
  /** Removes files that the work no longer has. */
  removeStale(): void;
  /** The files of the work that the checks wrote to. */
  touched(): readonly RawPath[];
}

interface PopulateOptions {
  /** Dependency folders that are about to be installed from scratch. */
  readonly without: ReadonlySet<RawPath>;
  /** Replaces the path of the work tree in a file, where the checks see the room under its own path. */
  readonly rewrite?: ((file: RawPath, bytes: () => Buffer) => Buffer | undefined) | undefined;
}

/** What this process wrote at a path. */
interface Written {
  readonly kind: 'folder' | 'entry';
  readonly stamp: string;
  /** `mode id` for a file of the work; `kept …` for a protected file; `work` for its folders; empty otherwise. */
  readonly id: string;
}

const entriesPerTurn = 500;

/** Creates an empty room. Only this process knows what it wrote there, so a later process creates its own. */
export function createRoom(folder: string): Room {
  return new GateRoom(folder);
}

class GateRoom implements Room {
  readonly tree: string;
  readonly home: string;
  readonly temporary: string;
  readonly #top: RawPath;
  readonly #written = new Map<RawPath, Written>();
  #received = new Set<RawPath>();

  constructor(folder: string) {
    this.tree = path.join(folder, 'tree');
    this.home = path.join(folder, 'home');
    this.temporary = path.join(folder, 'tmp');
    this.#top = toRaw(this.tree);
    makePrivateFolder(folder);
    makeRoomFolder(this.tree);
  }

  async clean(): Promise<void> {
    await this.#sweep();
    this.#received = new Set();
    for (const place of [this.home, this.temporary]) {
      removeRoomEntry(place);
      makePrivateFolder(place);
    }
  }

  async populate(environment: Environment, { without, rewrite }: PopulateOptions): Promise<void> {
    let looked = 0;
    for (const entry of environment.entries) {
      looked += 1;
      if (looked % entriesPerTurn === 0) await nextTurn();
      if (this.#written.has(entry.path) || isIn(entry.path, without)) continue;
      this.#restore(entry, path.join(environment.folder, 'tree'), rewrite);
    }
    for (const folder of without) this.#forget(folder);
    for (const entry of environment.settings) copySaved(entry, path.join(environment.folder, 'home'), this.home);
  }

  receive(file: CandidateFile, bytes: Buffer): void {
    const { path: at, mode } = file;
    const id = `${mode} ${file.id}`;
    this.#received.add(at);
    if (this.#written.get(at)?.id === id) return;
    this.#clear(at);
    this.#makeFolders(at);
    const target = toBytes(joinRaw(this.#top, at));
    if (mode === '120000') putRoomLink(target, bytes);
    else putRoomFile(target, bytes, mode === '100755' ? 0o755 : 0o644);
    this.#note(at, id);
  }

  putProtected(entry: CopiedEntry, from: string): void {
    this.#received.add(entry.path);
    const id = entry.kind === 'file' ? `kept ${entry.mode} ${entry.digest}` : 'kept link';
    if (this.#written.get(entry.path)?.id === id) return;
    this.#clear(entry.path);
    this.#makeFolders(entry.path);
    copySaved(entry, from, this.tree);
    this.#note(entry.path, id);
  }

  removeStale(): void {
    const needed = new Set<RawPath>();
    for (const [at, { kind, id }] of this.#written) {
      if (id !== '' && (kind === 'folder' || !this.#received.has(at))) continue;
      for (let folder = folderOf(at); folder !== '' && !needed.has(folder); folder = folderOf(folder))
        needed.add(folder);
    }
    for (const [at, { kind, id }] of this.#written) {
      const isKept = kind === 'folder' ? id === '' || needed.has(at) : id === '' || this.#received.has(at);
      if (isKept) continue;
      removeRoomEntry(toBytes(joinRaw(this.#top, at)));
      this.#written.delete(at);
    }
  }

  touched(): readonly RawPath[] {
    return [...this.#received].filter((at) => {
      const written = this.#written.get(at);
      const stats = lstatSync(toBytes(joinRaw(this.#top, at)), { throwIfNoEntry: false });
      return written !== undefined && (stats === undefined || written.stamp !== stampFor(written.kind, stats));
    });
  }

  /** Removes everything that is not exactly what this process wrote, and forgets what no longer exists. */
  async #sweep(): Promise<void> {
    const found = new Set<RawPath>();
    const pending: RawPath[] = [''];
    let looked = 0;
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      for (const name of readdirSync(toBytes(joinRaw(this.#top, folder)), { encoding: 'latin1' })) {
        looked += 1;
        if (looked % entriesPerTurn === 0) await nextTurn();
        const at = joinRaw(folder, name);
        const written = this.#written.get(at);
        const place = toBytes(joinRaw(this.#top, at));
        const stats = written === undefined ? undefined : lstatSync(place, { throwIfNoEntry: false });
        const isSame = stats !== undefined && written !== undefined && written.stamp === stampFor(written.kind, stats);
        if (!isSame) removeRoomEntry(place);
        else {
          found.add(at);
          if (written.kind === 'folder') pending.push(at);
        }
      }
    }
    for (const at of this.#written.keys()) if (!found.has(at)) this.#written.delete(at);
  }

  #restore(entry: CopiedEntry, from: string, rewrite: PopulateOptions['rewrite']): void {
    const target = toBytes(joinRaw(this.#top, entry.path));
    this.#makeFolders(entry.path);
    if (entry.kind === 'folder') {
      makeRoomFolder(target);
      setRoomMode(target, entry.mode | 0o700);
    } else {
      copySaved(entry, from, this.tree);
      const other = entry.kind === 'file' ? rewrite?.(entry.path, () => readSaved(entry, from)) : undefined;
      if (other !== undefined && entry.kind === 'file') putRoomFile(target, other, entry.mode);
    }
    this.#note(entry.path, '');
  }

  /** Parent folders of a file of the work; they are removed when they become empty. */
  #makeFolders(file: RawPath): void {
    const missing: RawPath[] = [];
    for (let at = folderOf(file); at !== '' && this.#written.get(at)?.kind !== 'folder'; at = folderOf(at))
      missing.push(at);
    for (const folder of missing.reverse()) {
      this.#clear(folder);
      makeRoomFolder(toBytes(joinRaw(this.#top, folder)));
      this.#note(folder, 'work');
    }
  }

  #clear(at: RawPath): void {
    if (!this.#written.has(at)) return;
    removeRoomEntry(toBytes(joinRaw(this.#top, at)));
    this.#forget(at);
  }

  #forget(at: RawPath): void {
    const written = this.#written.get(at);
    this.#written.delete(at);
    if (written?.kind !== 'folder') return;
    removeRoomEntry(toBytes(joinRaw(this.#top, at)));
    for (const each of this.#written.keys()) if (each.startsWith(`${at}/`)) this.#written.delete(each);
  }

  #note(at: RawPath, id: string): void {
    const stats = lstatSync(toBytes(joinRaw(this.#top, at)));
    const kind = stats.isDirectory() ? 'folder' : 'entry';
    this.#written.set(at, { kind, stamp: stampFor(kind, stats), id });
  }
}

/** The times of a folder change with its entries, which are compared anyway. */
function stampFor(kind: Written['kind'], stats: Stats): string {
  if (kind === 'folder') return stats.isDirectory() ? `folder ${stats.mode}` : 'no folder';
  return stampOf(stats);
}

/** Copies an entry of the snapshot below another folder; throws where its bytes were changed. */
function copySaved(entry: CopiedEntry, from: string, to: string): void {
  const target = toBytes(joinRaw(toRaw(to), entry.path));
  makeRoomFolder(toBytes(path.posix.dirname(joinRaw(toRaw(to), entry.path))));
  if (entry.kind === 'folder') makeRoomFolder(target);
  else if (entry.kind === 'link') putRoomLink(target, toBytes(entry.target));
  else {
    const source = joinRaw(toRaw(from), entry.path);
    try {
      copyRoomFile(toBytes(source), target, entry);
    } catch (error) {
      throw new SealedObstacle(environmentDamaged(toText(source)), { cause: error });
    }
    if (digestOfFile(target) !== entry.digest) throw new SealedObstacle(environmentDamaged(toText(source)));
  }
}

function readSaved(entry: CopiedEntry, from: string): Buffer {
  return readFileSync(toBytes(joinRaw(toRaw(from), entry.path)));
}

function isIn(file: RawPath, folders: ReadonlySet<RawPath>): boolean {
  if (folders.size === 0) return false;
  for (let at = file; at !== ''; at = folderOf(at)) if (folders.has(at)) return true;
  return false;
}

function folderOf(file: RawPath): RawPath {
  const at = file.lastIndexOf('/');
  return at === -1 ? '' : file.slice(0, at);
}
