import { type Image, nameOf, parentOf } from '../disk/image.ts';
import type { Operation } from '../disk/recorder.ts';

/** The bytes that one write added to a file; `doubtful` ones were part of a failed sync. */
export interface Extent {
  readonly bytes: Buffer;
  readonly state: 'durable' | 'pending' | 'doubtful';
}

/** One file, independent of its name. Files only grow at the end. */
export interface FileLife {
  readonly id: string;
  extents: readonly Extent[];
}

/** What a name refers to. */
export type Target = FileLife | 'folder';

/** One name change in one folder, in steps that a weak file system may save separately. */
export interface NameChange {
  readonly folder: string;
  readonly steps: readonly { readonly name: string; readonly target: Target | undefined }[];
}

type Names = Map<string, Map<string, Target>>;

/** What is safe and what is still pending after some operations, for all disk models at once. */
export class Replay {
  /** Names that were synced with their folder. */
  readonly synced: Names;
  /** Name changes since the last sync of their own folder, oldest first. */
  loose: readonly NameChange[] = [];
  /** Names at the last sync of anything: what a journalling file system has committed. */
  committed: Names;
  /** Name changes since that commit, oldest first. */
  uncommitted: readonly NameChange[] = [];
  /** The file and the number of bytes of the latest write. */
  lastWrite: { readonly file: FileLife; readonly bytes: number } | undefined;
  readonly #live: Names = new Map();
  readonly #files = new Map<string, FileLife>();

  /** Starts from an image that is fully durable. */
  constructor(base: Image) {
    readBase(base, this.#live, this.#files);
    this.synced = copyOf(this.#live);
    this.committed = copyOf(this.#live);
  }

  apply(operation: Operation): void {
    this.lastWrite = undefined;
    const { path } = operation;
    switch (operation.kind) {
      case 'makeFolder':
        return this.#change(parentOf(path), [{ name: nameOf(path), target: 'folder' }]);
      case 'create':
        return this.#create(path, operation.file);
      case 'write':
        return this.#write(this.#file(operation.file), operation.bytes);
      case 'syncData':
      case 'sync':
        settle(this.#file(operation.file), 'durable');
        return this.#commit();
      case 'failedSync':
        return settle(this.#file(operation.file), 'doubtful');
      case 'syncFolder':
        this.synced.set(path, new Map(this.#live.get(path)));
        this.loose = this.loose.filter((made) => made.folder !== path);
        return this.#commit();
      case 'rename':
        return this.#rename(operation.from, path);
      case 'remove':
        return this.#change(parentOf(path), [{ name: nameOf(path), target: undefined }]);
      case 'overwrite':
        this.#at(path).extents = [{ bytes: operation.bytes, state: 'durable' }];
    }
  }

  #create(path: string, id: string): void {
    const target: FileLife = { id, extents: [] };
    this.#files.set(id, target);
    this.#change(parentOf(path), [{ name: nameOf(path), target }]);
  }

  #write(file: FileLife, bytes: Buffer): void {
    file.extents = [...file.extents, { bytes, state: 'pending' }];
    this.lastWrite = { file, bytes: bytes.byteLength };
  }

  // The new name first: no file system we support loses the file in a rename.
  #rename(from: string, to: string): void {
    if (parentOf(from) !== parentOf(to)) return fail('Moving between folders is not modelled yet.');
    const target = this.#at(from);
    this.#change(parentOf(to), [
      { name: nameOf(to), target },
      { name: nameOf(from), target: undefined },
    ]);
  }

  #change(folder: string, steps: NameChange['steps']): void {
    const made = { folder, steps };
    follow(this.#live, made);
    this.loose = [...this.loose, made];
    this.uncommitted = [...this.uncommitted, made];
  }

  #commit(): void {
    this.committed = copyOf(this.#live);
    this.uncommitted = [];
  }

  #file(id: string): FileLife {
    return this.#files.get(id) ?? fail(`There is no file ${id}.`);
  }

  #at(path: string): FileLife {
    const target = this.#live.get(parentOf(path))?.get(nameOf(path));
    return target === undefined || target === 'folder' ? fail(`There is no file ${path}.`) : target;
  }
}

/** Applies a name change, or only its first `steps`. */
export function follow(names: Names, made: NameChange, steps = made.steps.length): void {
  const folder = names.get(made.folder) ?? new Map<string, Target>();
  names.set(made.folder, folder);
  for (const { name, target } of made.steps.slice(0, steps)) {
    if (target === undefined) folder.delete(name);
    else folder.set(name, target);
  }
}

/** A mutable copy of all names. */
export function copyOf(names: ReadonlyMap<string, ReadonlyMap<string, Target>>): Names {
  return new Map([...names].map(([folder, inIt]) => [folder, new Map(inIt)]));
}

// The n-th entry of an image is file n, because a disk created from it numbers its files this way.
function readBase(base: Image, names: Names, files: Map<string, FileLife>): void {
  for (const [index, [place, content]] of [...base].entries()) {
    if (place === '/') {
      names.set('/', new Map());
      continue;
    }
    const file: FileLife | undefined =
      content === 'folder' ? undefined : { id: String(index + 1), extents: [{ bytes: content, state: 'durable' }] };
    if (file) files.set(file.id, file);
    follow(names, { folder: parentOf(place), steps: [{ name: nameOf(place), target: file ?? 'folder' }] });
  }
}

function settle(file: FileLife, state: 'durable' | 'doubtful'): void {
  file.extents = file.extents.map((extent) => (extent.state === 'pending' ? { ...extent, state } : extent));
}

function fail(message: string): never {
  throw new Error(message);
}
