import type { Sender } from '../../protocol/index.ts';

/** A user's instruction to the agent of a running loop. */
export interface Guidance {
  /** The id of the command that gave it. */
  readonly id: string;
  /** What the agent should know. */
  readonly text: string;
  /** Its number in the loop; never given to another piece of guidance. */
  readonly number: number;
  /** It goes into every prompt until it is dropped; otherwise into that of one iteration that has a result. */
  readonly standing?: true;
  /** Since when; unknown for guidance of the first releases. */
  readonly at?: string;
  /** Who gave it. */
  readonly sender?: Sender;
  /** The iterations whose prompts had it: from the first to the last, without a gap. */
  readonly delivered?: { readonly first: number; readonly last: number };
}

/** How much guidance a loop can have at a time. */
export const maxGuidance = 50;
