/** A problem that a reader found on disk and worked around; not an error by itself. */
export interface Problem {
  readonly kind:
    | 'torn_tail' // the last write was cut off before it was acknowledged
    | 'corruption' // acknowledged bytes are damaged or missing
    | 'ignored_bytes' // bytes after the end that the next owner accepted
    | 'stale_segment' // a segment of an owner that had lost the loop
    | 'journal_behind' // the journal lost facts that the snapshot still has
    | 'snapshot_damaged' // state.json cannot be trusted
    | 'snapshot_stale' // state.json was written by an owner that had lost the loop
    | 'copy_damaged' // a checkpoint or backup cannot be trusted
    | 'rebuilt'; // the state came from a checkpoint or backup
  readonly file: string;
  /** One sentence for the user. */
  readonly message: string;
}
