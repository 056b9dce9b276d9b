import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import { type FilePort, readWhole, randomBytes as systemBytes, writeFileDurably } from '../files/index.ts';
import {
  hasKeyFile,
  type KeyRecord,
  keepKeyFiles,
  type LockedKey,
  type OpenKey,
  readKeyFiles,
  unwrapKey,
  wrapKey,
} from './key-record.ts';
import type { KeySource } from './key-sources.ts';
import type { MasterKey } from './master-key.ts';
import { isSealed, isToBeSealed, sealedFiles, staysExposed } from './sealed-files.ts';

/** Where a loop is. */
export interface LoopLocation {
  /** The disk as it is. */
  readonly files: FilePort;
  readonly loopId: string;
  readonly folder: string;
  /** The folder of the second copy of its journal. */
  readonly mirror?: string | undefined;
}

/** An encrypted loop. */
export interface LockedLoop {
  /** The disk for everyone who has the key. Without it, the first use of a file throws. */
  readonly files: FilePort;
  /** Throws if the key is missing, wrong or damaged. */
  unlock(): KeyRecord;
  /** Restores the copies of the wrapped key that somebody removed; only for the loop's owner. */
  keep(): void;
  /** Whether a file of the loop is to be encrypted. */
  mustProtect(file: string): boolean;
  /** Encrypts a file that is in clear text. The clear text is replaced when the encrypted one is durable. */
  protect(file: string): void;
  /** What its key file says; not authenticated if the key is missing. */
  describe(): Pick<KeyRecord, 'clear' | 'complete'>;
  /**
   * A check for files that an agent or git wrote and that are still in clear text. Without the key, it goes by how a file
   * begins. A loop whose encryption was interrupted has none: there, clear text may be all that there is.
   */
  findExposed(): (file: string) => boolean;
  /** Writes a new record of the same key, durably; only for the loop's owner. */
  rewrap(changes: Partial<Pick<KeyRecord, 'complete' | 'clear'>>, master?: MasterKey): void;
}

/** Opens encrypted loops with the keys that this process finds. */
export interface Vault {
  /** An encrypted loop; undefined for one that is not. */
  loopAt(location: LoopLocation): LockedLoop | undefined;
  /** A loop that does not exist yet, or is not encrypted yet. `begin` creates its key, durably, before anything else. */
  newLoopAt(location: LoopLocation, wanted: Wanted): LockedLoop & { begin(): void };
}

/** How a loop is to be encrypted. */
export interface Wanted {
  readonly master: MasterKey;
  readonly createdAt: string;
  readonly clear: readonly string[];
  /** False for a loop that already has files. */
  readonly complete: boolean;
}

/** What a vault needs from outside. */
export interface VaultSetting {
  /** Where to look for the master key of a loop whose records name these files. */
  readonly sources: (keyFiles: readonly string[]) => readonly KeySource[];
  /** The system's, if left out. */
  readonly randomBytes?: (count: number) => Buffer;
}

/** Far above what is kept of an agent's output. */
const maxClearBytes = 512 * 1024 * 1024;

/** A vault. It holds no key itself: each loop is unlocked when it is first used. */
export function createVault({ sources, randomBytes = systemBytes }: VaultSetting): Vault {
  const known: KnownKeys = new Map();
  const locked = (location: LoopLocation, first?: Opened): LockedLoop & { open: Opened | undefined } => {
    const { files } = location;
    const loop = {
      open: first,
      unlock: () => opened().record,
      files: sealedFiles({ ...location, unlock: () => opened(), randomBytes }),
      keep: () => keepKeyFiles(files, homesOf(location), opened().text),
      mustProtect: (file: string) => isToBeSealed(location, file, opened().record.clear),
      protect(file: string) {
        const bytes = readWhole(files, file, { limit: maxClearBytes });
        if (bytes.byteLength === 0 || isSealed({ ...location, key: opened().key }, file, bytes)) return;
        writeFileDurably(loop.files, file, bytes);
      },
      describe: () => described().record,
      findExposed() {
        const { record, key } = described();
        return (file: string) => record.complete && staysExposed({ ...location, clear: record.clear, key }, file);
      },
      rewrap(changes: Partial<Pick<KeyRecord, 'complete' | 'clear'>>, master: MasterKey = opened().master) {
        const { key, record } = opened();
        const renewed = { key, record: { ...record, ...changes } };
        const text = wrapKey(renewed, master, randomBytes);
        keepKeyFiles(files, homesOf(location), text);
        loop.open = { ...renewed, record: { ...renewed.record, keyId: master.id }, master, text };
      },
    };
    const opened = (): Opened => {
      loop.open ??= openRecord(location, { sources, known });
      return loop.open;
    };
    const described = (): Described => {
      try {
        return opened();
      } catch (error) {
        if (!(error instanceof LoopError)) throw error;
        const [first] = readKeyFiles(files, homesOf(location), location.loopId);
        return { record: first?.record ?? { clear: [], complete: true } };
      }
    };
    return loop;
  };
  return {
    loopAt: (location) => (hasKeyFile(location.files, homesOf(location)) ? locked(location) : undefined),
    newLoopAt(location, { master, createdAt, clear, complete }) {
      const { files, loopId } = location;
      const key = randomBytes(32);
      const record = { loopId, keyId: master.id, createdAt, clear, complete };
      const text = wrapKey({ key, record }, master, randomBytes);
      const loop = locked(location, { key, record, master, text });
      return { ...loop, begin: () => keepKeyFiles(files, homesOf(location), text) };
    },
  };
}

interface Opened extends OpenKey {
  readonly master: MasterKey;
  /** The key file. */
  readonly text: string;
}

interface Described {
  readonly record: Pick<KeyRecord, 'clear' | 'complete'>;
  readonly key?: Uint8Array;
}

/** The folders that have a copy of the wrapped key: one damaged sector must not cost the loop. */
function homesOf({ folder, mirror }: LoopLocation): readonly string[] {
  const homes = [folder, path.join(folder, 'journal'), path.join(folder, 'backups')];
  return mirror === undefined ? homes : [...homes, mirror];
}

/** The keys of loops that were unlocked before, by the texts of their key files and the master key. */
type KnownKeys = Map<string, Buffer>;

function openRecord(
  location: LoopLocation,
  { sources, known }: Pick<VaultSetting, 'sources'> & { readonly known: KnownKeys },
): Opened {
  const { files, folder, loopId } = location;
  const locked = readKeyFiles(files, homesOf(location), loopId);
  const needed = locked[0]?.record.keyId;
  if (needed === undefined) throw new LoopError(failures.keyRecordDamaged(loopId, folder));
  const found: MasterKey[] = [];
  let refusal: LoopError | undefined;
  for (const source of sources([...new Set(locked.flatMap(({ record: { keyFile } }) => keyFile ?? []))])) {
    try {
      const master = source.read();
      if (master === undefined) continue;
      found.push(master);
      const open = openWith(locked, master, known);
      if (open) return { ...open, master };
    } catch (error) {
      if (!(error instanceof LoopError)) throw error;
      refusal ??= error;
    }
  }
  if (found.some(({ id }) => locked.some(({ record }) => record.keyId === id))) {
    throw new LoopError(failures.keyRecordDamaged(loopId, folder));
  }
  if (found.length > 0) throw new LoopError(failures.keyWrong(loopId, needed, found.map(({ id }) => id).join(', ')));
  if (refusal && refusal.failure.code !== 'KEY_UNREADABLE') throw refusal;
  const why = refusal?.failure.message.replace(/\.$/, '');
  throw new LoopError(failures.keyMissing(loopId, needed, why), { cause: refusal });
}

function openWith(
  locked: readonly LockedKey[],
  master: MasterKey,
  known: KnownKeys,
): Omit<Opened, 'master'> | undefined {
  for (const { record, text, ...rest } of locked) {
    if (record.keyId !== master.id) continue;
    const name = `${master.id} ${text}`;
    const key = known.get(name) ?? unwrapKey({ record, ...rest }, master);
    if (!key) continue;
    known.set(name, key);
    return { key, record, text };
  }
  return undefined;
}
