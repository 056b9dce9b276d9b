import type { HandoverFile } from '../../core/index.ts';
import type { Changes } from '../../protocol/index.ts';
import type { AttemptKey } from './attempt.ts';

/** Reports what changed in the work tree since it was last looked at. */
export interface WorkspacePort {
  /**
   * Looks at the work tree before an attempt, and keeps the result for an owner that may have to continue it. Directly
   * after a run, with nothing done or waited for since `changes`, the result of that is used.
   */
  begin(key: AttemptKey, followsRunDirectly?: boolean): Promise<void>;
  /** Uses what an earlier owner saw before an attempt; without it the changes are unknown. */
  restore(key: AttemptKey): Promise<void>;
  changes(): Promise<Changes>;
  /** A text that changes when the work tree does, first as `begin` saw it; to ask for it disturbs nothing. */
  signOfLife?(): Promise<string>;
  /** The newest commits, one line each, newest first; none where there are none. */
  recentCommits?(count: number): Promise<readonly string[]>;
  /** Files by name, each with at most so many bytes of it, or why it cannot be read; none outside of the folder. */
  readFiles?(names: readonly string[], maxBytes: number): readonly HandoverFile[];
}
