/** What must, and what may, be there after a crash at one moment. Never changed once made. */
export interface Truth {
  /** Whether the loop's maker was told that it exists. */
  readonly exists: boolean;
  /** The facts that were acknowledged, in order. */
  readonly acknowledged: readonly number[];
  /** Batches that are under way or were refused since: a beginning of one of them may have got through. */
  readonly possible: readonly (readonly number[])[];
  /** The number of the newest snapshot that was acknowledged, and of the newest that was begun; 0 for none. */
  readonly snapshot: { readonly acknowledged: number; readonly begun: number };
  /**
   * An agent harmed the loop's files, and only their copy, which is not synced, holds what they lost: until the next
   * append, which must notice it, or until the loop is opened again.
   */
  readonly exposed: 'no' | 'until an append' | 'until it is opened';
  /** Files written whole: what was acknowledged, and what may stand there instead. */
  readonly files: ReadonlyMap<string, FileTruth>;
}

/** What may stand at one path; undefined stands for no file. */
export interface FileTruth {
  readonly may: readonly (string | undefined)[];
}

/** Before anything happened. */
export const nothingYet: Truth = {
  exists: false,
  acknowledged: [],
  possible: [],
  snapshot: { acknowledged: 0, begun: 0 },
  exposed: 'no',
  files: new Map(),
};
