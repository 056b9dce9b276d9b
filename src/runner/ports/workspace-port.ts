import type { HandoverFile } from '../../core/index.ts';
import type { Changes } from '../../protocol/index.ts';
import type { AttemptKey } from './attempt.ts';

/** Reports what changed in the work tree since it was last recorded. */
export interface WorkspacePort {
  /**
   * Records the work tree before an attempt, also for an owner that may have to continue it. Directly
   * after a run, with no work or wait since `changes`, that result is reused.
   */
  begin(key: AttemptKey, followsRunDirectly?: boolean): Promise<void>;
  /** Loads what an earlier owner recorded before an attempt; without it, the changes are unknown. */
  restore(key: AttemptKey): Promise<void>;
  changes(): Promise<Changes>;
  /** A text that changes when the work tree does, starting with what `begin` recorded; has no side effects. */
  signOfLife?(): Promise<string>;
  /** The newest commits, one line each, newest first. */
  recentCommits?(count: number): Promise<readonly string[]>;
  /**
   * Restores every file that differs between two trees to its state in the first, and keeps all current files in git
   * before it does. Changes nothing if it cannot do both.
   */
  rollBack?(trees: { readonly before: string; readonly after: string }, name: string): Promise<Rollback>;
  /** Reads files by name, each up to a number of bytes, or says why it cannot; never outside the folder. */
  readFiles?(names: readonly string[], maxBytes: number): readonly HandoverFile[];
}

/** What was undone, and the git reference that keeps what there was; or why nothing was undone. */
export type Rollback =
  | { readonly ok: true; readonly files: string[]; readonly count: number; readonly backup: string }
  | { readonly ok: false; readonly message: string };
