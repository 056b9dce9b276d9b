import type { WorktreeRemoval } from './worktree-remove.ts';

/** What was removed. */
export interface RemovalReport {
  readonly loopId: string;
  /** Files, folders and git references, each with its full name. */
  readonly removed: readonly string[];
  /** A worktree and its branch that stay, and why. */
  readonly kept: WorktreeRemoval['kept'];
  readonly freedBytes: number;
  /** Processes that were ended first. */
  readonly ended: readonly string[];
}
