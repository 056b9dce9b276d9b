import { type Image, nameOf, parentOf } from '../disk/image.ts';
import type { Operation } from '../disk/recorder.ts';

/** A run of bytes that one write added to a file; `doubtful` ones were in a sync that failed. */
export interface Extent {
  readonly bytes: Buffer;
  readonly state: 'durable' | 'pending' | 'doubtful';
}

/** One file, whatever it is called. Files only ever grow at their end. */
export interface FileLife {
  readonly id: string;
  extents: readonly Extent[];
}

/** What a name leads to. */
export type Target = FileLife | 'folder';

/** One change of names in one folder, in steps that a careless file system may save separately. */
export interface NameChange {
  readonly folder: string;
  readonly steps: readonly { readonly name: string; readonly target: Target | undefined }[];
}

/** What is safe and what is still on its way after some operations, for every model of a disk at once. */
export interface Replay {
  /** Names that were synced with their folder. */
  readonly synced: ReadonlyMap<string, ReadonlyMap<string, Target>>;
  /** Changes of names since the last sync of their own folder, oldest first. */
  readonly loose: readonly NameChange[];
  /** Names at the last sync of anything: what a journalling file system has committed. */
  readonly committed: ReadonlyMap<string, ReadonlyMap<string, Target>>;
  /** Changes of names since then, oldest first. */
  readonly uncommitted: readonly NameChange[];
  /** The bytes that the latest operation wrote, and where to. */
  readonly lastWrite: { readonly file: FileLife; readonly bytes: number } | undefined;
  apply(operation: Operation): void;
}

type Names = Map<string, Map<string, Target>>;

/** Starts from an image that is durable as it is. */
export function createReplay(base: Image): Replay {
  const files = new Map<string, FileLife>();
  const live: Names = new Map();
  readBase(base, live, files);
  const synced = copyOf(live);
  let committed = copyOf(live);
  let loose: NameChange[] = [];
  let uncommitted: NameChange[] = [];
  let lastWrite: Replay['lastWrite'];

  const change = (folder: string, steps: NameChange['steps']) => {
    const made = { folder, steps };
    follow(live, made);
    loose.push(made);
    uncommitted.push(made);
  };
  const fileOf = (id: string) => files.get(id) ?? fail(`No file ${id}.`);
  const commit = () => {
    committed = copyOf(live);
    uncommitted = [];
  };
  const apply = (operation: Operation): void => {
    lastWrite = undefined;
    const folder = parentOf(operation.path);
    const name = nameOf(operation.path);
    switch (operation.kind) {
      case 'makeFolder':
        return change(folder, [{ name, target: 'folder' }]);
      case 'create': {
        const file: FileLife = { id: operation.file, extents: [] };
        files.set(file.id, file);
        return change(folder, [{ name, target: file }]);
      }
      case 'write': {
        const file = fileOf(operation.file);
        file.extents = [...file.extents, { bytes: operation.bytes, state: 'pending' }];
        lastWrite = { file, bytes: operation.bytes.byteLength };
        return;
      }
      case 'syncData':
      case 'sync':
        settle(fileOf(operation.file), 'durable');
        return commit();
      case 'failedSync':
        return settle(fileOf(operation.file), 'doubtful');
      case 'syncFolder':
        synced.set(operation.path, new Map(live.get(operation.path)));
        loose = loose.filter((made) => made.folder !== operation.path);
        return commit();
      case 'rename': {
        if (parentOf(operation.from) !== folder) return fail('Moving between folders is not modelled yet.');
        const target = live.get(folder)?.get(nameOf(operation.from));
        return change(folder, [
          { name, target },
          { name: nameOf(operation.from), target: undefined },
        ]);
      }
      case 'remove':
        return change(folder, [{ name, target: undefined }]);
      case 'overwrite': {
        const target = live.get(folder)?.get(name);
        if (target === undefined || target === 'folder') return fail(`No file ${operation.path}.`);
        target.extents = [{ bytes: operation.bytes, state: 'durable' }];
      }
    }
  };
  return {
    synced,
    get loose() {
      return loose;
    },
    get committed() {
      return committed;
    },
    get uncommitted() {
      return uncommitted;
    },
    get lastWrite() {
      return lastWrite;
    },
    apply,
  };
}

/** Carries a change of names out, or only its first `steps`. */
export function follow(names: Names, made: NameChange, steps = made.steps.length): void {
  const folder = names.get(made.folder) ?? new Map<string, Target>();
  names.set(made.folder, folder);
  for (const { name, target } of made.steps.slice(0, steps)) {
    if (target === undefined) folder.delete(name);
    else folder.set(name, target);
  }
}

/** A copy of all names that can be changed. */
export function copyOf(names: ReadonlyMap<string, ReadonlyMap<string, Target>>): Names {
  return new Map([...names].map(([folder, inIt]) => [folder, new Map(inIt)]));
}

// The n-th entry of an image is file n: that is how a disk made from it numbers its files.
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
