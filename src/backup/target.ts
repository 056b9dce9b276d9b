/**
 * Where backups go: named objects that are written once and never changed. Names are paths with slashes, of letters, digits,
 * dots, dashes and underscores. Every call may take as long as its signal allows, and fails with an error that says why
 * without any secret.
 */
export interface BackupTarget {
  /** Where it is, to be shown. */
  readonly where: string;
  /** Creates an object, whole and durable; false if one of this name exists, which is left as it is. */
  create(name: string, bytes: Uint8Array, signal: AbortSignal): Promise<boolean>;
  /** Reads an object; undefined if there is none. One that is longer than `limit` is refused unread. */
  read(name: string, limit: number, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** The names of the objects in a folder, without the folder, in order; those after a name if one is given. */
  list(folder: string, after: string | undefined, signal: AbortSignal): Promise<readonly string[]>;
  /** The names of the folders in a folder, in order; `''` is the whole target. */
  folders(folder: string, signal: AbortSignal): Promise<readonly string[]>;
  remove(name: string, signal: AbortSignal): Promise<void>;
  /** For a target that stores nothing before: called after the last object of a backup. */
  commit?(signal: AbortSignal): Promise<void>;
}

/** No listing is longer than this: one that does not end is an attack or a fault. */
export const maxListed = 1_000_000;
