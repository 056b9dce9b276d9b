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
} from '../../store/index.ts';
import { joinRaw, type RawPath, toBytes, toRaw, toText } from '../../workspace/index.ts';
import type { CandidateFile } from '../candidate/candidate.ts';
import { type CopiedEntry, digestOfFile } from './copy-tree.ts';
import { type Environment, environmentDamaged } from './environment.ts';
import { SealBroken } from './seal-broken.ts';
import { stampOf } from './stamps.ts';

/** The place where sealed checks run: the work as it was read, and the environment as it was before any agent ran. */
export interface Room {
  /** What the top of the work tree is here. */
  readonly tree: string;
  readonly home: string;
  readonly temporary: string;
  /** Removes what earlier checks made or changed, and gives them an empty home and folder for temporary files. */
  clean(): Promise<void>;
  /** Puts everything of the environment there that is missing. */
  furnish(environment: Environment, options: FurnishOptions): Promise<void>;
  /** Takes one file of the work. */
  receive(file: CandidateFile, bytes: Buffer): void;
  /** Puts a kept file in the place of what the work has there. */
  putKept(entry: CopiedEntry, from: string): void;
  /** Removes files of the work that it no longer has. */
  close(): void;
  /** The files of the work that the checks wrote to. */
  touched(): readonly RawPath[];
}

/** What is left out of the environment, and how files change on their way. */
export interface FurnishOptions {
  /** Dependency folders that are about to be made afresh. */
  readonly without: ReadonlySet<RawPath>;
  /** Another content for a file that names the work tree, where the room is not shown in its place. */
  readonly rewrite?: ((file: RawPath, bytes: () => Buffer) => Buffer | undefined) | undefined;
}

/** What was left at a path: a folder, or a file or link that has a stamp and, as a part of the work, an id. */
interface Left {
  readonly kind: 'folder' | 'entry';
  readonly stamp: string;
  /** `mode id` of a file of the work; `kept` for what was kept; empty for the environment. */
  readonly id: string;
}

const turnEvery = 500;

/** Makes an empty room. What is in it is proven by what this process left there, so a later process makes its own. */
export function createRoom(folder: string): Room {
  return new GateRoom(folder);
}

class GateRoom implements Room {
  readonly tree: string;
  readonly home: string;
  readonly temporary: string;
  readonly #top: RawPath;
  readonly #left = new Map<RawPath, Left>();
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

  async furnish(environment: Environment, { without, rewrite }: FurnishOptions): Promise<void> {
    let looked = 0;
    for (const entry of environment.entries) {
      looked += 1;
      if (looked % turnEvery === 0) await nextTurn();
      if (this.#left.has(entry.path) || isIn(entry.path, without)) continue;
      this.#restore(entry, path.join(environment.folder, 'tree'), rewrite);
    }
    for (const folder of without) this.#forget(folder);
    for (const entry of environment.settings) copyKept(entry, path.join(environment.folder, 'home'), this.home);
  }

  receive(file: CandidateFile, bytes: Buffer): void {
    const { path: at, mode } = file;
    const id = `${mode} ${file.id}`;
    this.#received.add(at);
    if (this.#left.get(at)?.id === id) return;
    this.#clear(at);
    this.#makeFolders(at);
    const target = toBytes(joinRaw(this.#top, at));
    if (mode === '120000') putRoomLink(target, bytes);
    else putRoomFile(target, bytes, mode === '100755' ? 0o755 : 0o644);
    this.#note(at, id);
  }

  putKept(entry: CopiedEntry, from: string): void {
    this.#received.add(entry.path);
    const id = entry.kind === 'file' ? `kept ${entry.mode} ${entry.digest}` : 'kept link';
    if (this.#left.get(entry.path)?.id === id) return;
    this.#clear(entry.path);
    this.#makeFolders(entry.path);
    copyKept(entry, from, this.tree);
    this.#note(entry.path, id);
  }

  close(): void {
    const needed = new Set<RawPath>();
    for (const [at, { kind, id }] of this.#left) {
      if (id !== '' && (kind === 'folder' || !this.#received.has(at))) continue;
      for (let folder = folderOf(at); folder !== '' && !needed.has(folder); folder = folderOf(folder))
        needed.add(folder);
    }
    for (const [at, { kind, id }] of this.#left) {
      const isKept = kind === 'folder' ? id === '' || needed.has(at) : id === '' || this.#received.has(at);
      if (isKept) continue;
      removeRoomEntry(toBytes(joinRaw(this.#top, at)));
      this.#left.delete(at);
    }
  }

  touched(): readonly RawPath[] {
    return [...this.#received].filter((at) => {
      const left = this.#left.get(at);
      const stats = lstatSync(toBytes(joinRaw(this.#top, at)), { throwIfNoEntry: false });
      return left !== undefined && (stats === undefined || left.stamp !== stampFor(left.kind, stats));
    });
  }

  /** Removes whatever is not exactly what was left here, and forgets what is gone. */
  async #sweep(): Promise<void> {
    const found = new Set<RawPath>();
    const pending: RawPath[] = [''];
    let looked = 0;
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      for (const name of readdirSync(toBytes(joinRaw(this.#top, folder)), { encoding: 'latin1' })) {
        looked += 1;
        if (looked % turnEvery === 0) await nextTurn();
        const at = joinRaw(folder, name);
        const left = this.#left.get(at);
        const place = toBytes(joinRaw(this.#top, at));
        const stats = left === undefined ? undefined : lstatSync(place, { throwIfNoEntry: false });
        const isSame = stats !== undefined && left !== undefined && left.stamp === stampFor(left.kind, stats);
        if (!isSame) removeRoomEntry(place);
        else {
          found.add(at);
          if (left.kind === 'folder') pending.push(at);
        }
      }
    }
    for (const at of this.#left.keys()) if (!found.has(at)) this.#left.delete(at);
  }

  #restore(entry: CopiedEntry, from: string, rewrite: FurnishOptions['rewrite']): void {
    const target = toBytes(joinRaw(this.#top, entry.path));
    this.#makeFolders(entry.path);
    if (entry.kind === 'folder') {
      makeRoomFolder(target);
      setRoomMode(target, entry.mode | 0o700);
    } else {
      copyKept(entry, from, this.tree);
      const other = entry.kind === 'file' ? rewrite?.(entry.path, () => readKept(entry, from)) : undefined;
      if (other !== undefined && entry.kind === 'file') putRoomFile(target, other, entry.mode);
    }
    this.#note(entry.path, '');
  }

  /** Folders on the way to a file of the work; they go when nothing is left in them. */
  #makeFolders(file: RawPath): void {
    const missing: RawPath[] = [];
    for (let at = folderOf(file); at !== '' && this.#left.get(at)?.kind !== 'folder'; at = folderOf(at))
      missing.push(at);
    for (const folder of missing.reverse()) {
      this.#clear(folder);
      makeRoomFolder(toBytes(joinRaw(this.#top, folder)));
      this.#note(folder, 'work');
    }
  }

  #clear(at: RawPath): void {
    if (!this.#left.has(at)) return;
    removeRoomEntry(toBytes(joinRaw(this.#top, at)));
    this.#forget(at);
  }

  #forget(at: RawPath): void {
    const left = this.#left.get(at);
    this.#left.delete(at);
    if (left?.kind !== 'folder') return;
    removeRoomEntry(toBytes(joinRaw(this.#top, at)));
    for (const each of this.#left.keys()) if (each.startsWith(`${at}/`)) this.#left.delete(each);
  }

  #note(at: RawPath, id: string): void {
    const stats = lstatSync(toBytes(joinRaw(this.#top, at)));
    const kind = stats.isDirectory() ? 'folder' : 'entry';
    this.#left.set(at, { kind, stamp: stampFor(kind, stats), id });
  }
}

/** The times of a folder change with what is in it, which is looked at anyway. */
function stampFor(kind: Left['kind'], stats: Stats): string {
  if (kind === 'folder') return stats.isDirectory() ? `folder ${stats.mode}` : 'no folder';
  return stampOf(stats);
}

/** Copies a kept entry to its place below another folder; throws where its bytes are not what they were. */
function copyKept(entry: CopiedEntry, from: string, to: string): void {
  const target = toBytes(joinRaw(toRaw(to), entry.path));
  makeRoomFolder(toBytes(path.posix.dirname(joinRaw(toRaw(to), entry.path))));
  if (entry.kind === 'folder') makeRoomFolder(target);
  else if (entry.kind === 'link') putRoomLink(target, toBytes(entry.target));
  else {
    const source = joinRaw(toRaw(from), entry.path);
    try {
      copyRoomFile(toBytes(source), target, entry);
    } catch (error) {
      throw new SealBroken(environmentDamaged(toText(source)), { cause: error });
    }
    if (digestOfFile(target) !== entry.digest) throw new SealBroken(environmentDamaged(toText(source)));
  }
}

function readKept(entry: CopiedEntry, from: string): Buffer {
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
