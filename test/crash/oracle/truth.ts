/** What must and what may be on disk after a crash at one moment. Immutable. */
export interface Truth {
  /** Whether the creation of the loop was acknowledged. */
  readonly exists: boolean;
  /** The acknowledged facts, in order. */
  readonly acknowledged: readonly number[];
  /** Batches that are being written or were refused since: a first part of one of them may be on disk. */
  readonly possible: readonly (readonly number[])[];
  /** The number of the newest acknowledged snapshot and of the newest one begun; 0 for none. */
  readonly snapshot: { readonly acknowledged: number; readonly begun: number };
  /**
   * An agent damaged the loop's files, and only the unsynced mirror holds what they lost: until the next append, which
   * must notice it, or until the loop is opened again.
   */
  readonly exposed: 'no' | 'until an append' | 'until it is opened';
  /** Files written as a whole: the acknowledged content, and the alternatives. */
  readonly files: ReadonlyMap<string, FileTruth>;
}

/** The allowed contents of one path; undefined means no file. */
export interface FileTruth {
  readonly may: readonly (string | undefined)[];
}

/** The state before anything happened. */
export const nothingYet: Truth = {
  exists: false,
  acknowledged: [],
  possible: [],
  snapshot: { acknowledged: 0, begun: 0 },
  exposed: 'no',
  files: new Map(),
};
