import type { ProcessIdentity } from '../../protocol/index.ts';

/** The end of a loop's journal, and who writes it. */
export interface JournalPosition {
  readonly seq: number;
  readonly epoch: number;
  readonly owner?: ProcessIdentity;
  readonly lastActivityAt?: string;
  readonly recoveries: number;
}

/** An empty journal. */
export const emptyJournal: JournalPosition = { seq: 0, epoch: 0, recoveries: 0 };
