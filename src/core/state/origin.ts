import type { ForeignSystem, Frozen, Worktree } from '../../protocol/index.ts';

/** Where an imported loop comes from. */
export interface ImportedFrom {
  readonly from: ForeignSystem;
  /** Its id there. */
  readonly id?: string;
  /** The imported file, relative to the project. */
  readonly path: string;
  /** SHA-256 of that file. */
  readonly digest: string;
  /** When it ended there. */
  readonly endedAt?: string;
}

/** The origin of a loop: what `loop.started` records; only other settings change its task and its agent. */
export interface Origin {
  readonly uuid: string;
  readonly task: string;
  readonly agent: string;
  readonly workingDirectory: string;
  readonly startedBy: string;
  readonly startedAt?: string;
  /** The git worktree and the branch that it has for itself. */
  readonly worktree?: Frozen<Worktree>;
  /** The ended loop whose work this one continues. */
  readonly resumedFrom?: string;
  /** How many iterations that loop and those before it took. */
  readonly earlierIterations?: number;
  /** The document of another system that it continues. */
  readonly imported?: ImportedFrom;
  /** Paths of the settings that a flag or a variable gave; unknown for loops of the first releases. */
  readonly chosen?: readonly string[];
  /** Warnings shown to the user when the loop started. */
  readonly warnings?: readonly string[];
}

/** Before the first fact. */
export const noOrigin: Origin = { uuid: '', task: '', agent: '', workingDirectory: '', startedBy: '' };
