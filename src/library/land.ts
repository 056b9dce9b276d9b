import { type AppContext, type LoopPlace, landLoop } from '../app/index.ts';
import type { LoopId } from './to-events.ts';

/** How the branch of a loop is landed. */
export interface LandOptions {
  /**
   * How to merge: `auto` fast-forwards where possible and makes a merge commit otherwise, `merge` always makes one,
   * `squash` makes one ordinary commit, `ff-only` refuses what cannot be fast-forwarded. Default: `"auto"`.
   */
  readonly method?: 'auto' | 'merge' | 'ff-only' | 'squash';
  /** The branch that gets the work. Default: the one that the loop started from. */
  readonly into?: string;
  /** Commit the files that the loop left uncommitted; they are refused otherwise. */
  readonly commit?: boolean;
  /** Keep the worktree and the branch of the loop. */
  readonly keep?: boolean;
  /** Also land a loop that has not completed, as unverified work. Its checks must still pass. */
  readonly force?: boolean;
  /** Only find out whether the branches conflict. */
  readonly dryRun?: boolean;
  /** Ends the checks and the landing; nothing is changed then. */
  readonly signal?: AbortSignal;
}

/** What landing did, or would do. */
export interface LandedLoop {
  /** Which loop it is. */
  readonly id: LoopId;
  /** Whether it has landed now, had landed before, or would land without `dryRun`. */
  readonly result: 'landed' | 'already_landed' | 'would_land';
  /** The branch of the loop. */
  readonly branch: string;
  /** The branch that has the work now, or would have it. */
  readonly into: string;
  /** How it was merged. */
  readonly method?: 'fast-forward' | 'merge' | 'squash';
  /** The commit to which the branch has moved, or would move. */
  readonly commit?: string;
  /** Whether checks passed for the merged work of a loop that completed verified. */
  readonly verified: boolean;
  /** How many checks passed for the merged work. */
  readonly checks: number;
  /** Files that were committed first, or would be. */
  readonly committed: readonly string[];
  /** The removed worktree and branch. */
  readonly removed: readonly string[];
  /** What was not removed, and why. */
  readonly kept: readonly {
    /** The path or the branch. */
    readonly what: string;
    /** The reason, as a part of a sentence. */
    readonly why: string;
  }[];
}

/** Lands the branch of a loop for a program. */
export async function landIn(
  place: LoopPlace,
  id: LoopId,
  { options, context }: { readonly options: LandOptions; readonly context: AppContext },
): Promise<LandedLoop> {
  const { method = 'auto', into, commit = false, keep = false, force = false, dryRun = false, signal } = options;
  const { loopId, ...report } = await landLoop(place, id, {
    context,
    method,
    into,
    commit,
    keep,
    force,
    dryRun,
    signal: signal ?? new AbortController().signal,
  });
  return { id: loopId, ...report };
}
