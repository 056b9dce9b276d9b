import type { Mode, Sender, SwitchMoment } from '../../protocol/index.ts';

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

/** What a person requested and the loop has yet to do. */
export interface Requests {
  readonly pause?: {
    readonly now: boolean;
    readonly reason: 'user_pause' | 'interrupted' | 'environment';
    readonly message?: string;
  } & Requested;
  readonly end?: { readonly gracefully: boolean } & Requested;
  readonly skip?: true;
  readonly reboot?: true;
  readonly resume?: true;
  /** Undo what the last iteration changed. */
  readonly rollback?: true;
  /** What a person decided about the question that is open. */
  readonly decision?: { readonly decision: 'continue' | 'skip'; readonly prompt?: string } & Requested;
  readonly mode?: { readonly mode: Mode; readonly when: SwitchMoment } & Requested;
}

/** When something was requested, and by whom. */
export interface Requested {
  readonly at?: string;
  readonly sender?: Sender;
}

/** A command that was answered. */
export interface ServedCommand {
  readonly id: string;
  /** Why it was refused; missing when it was accepted. */
  readonly refusedBecause?: string;
}

/** Commands people sent to the loop: those still to be carried out, and those answered. */
export interface CommandState {
  readonly requests: Requests;
  /** Guidance for the next prompt: what stands, and what is to be delivered once. */
  readonly guidance: readonly Guidance[];
  /** How many pieces of guidance the loop has been given. */
  readonly guidanceCount: number;
  /** The newest commands that were answered, so that none is carried out twice and its sender learns the answer. */
  readonly served: readonly ServedCommand[];
}

/** No commands yet. */
export const noCommands: CommandState = { requests: {}, guidance: [], guidanceCount: 0, served: [] };

/** How many answered commands are remembered. */
export const maxServedCommands = 64;

/** The requests without one that has been served. */
export function withoutRequest(requests: Requests, name: keyof Requests): Requests {
  const { [name]: _served, ...rest } = requests;
  return rest;
}

/** The requests without several that have been served. */
export function withoutRequests(requests: Requests, ...names: readonly (keyof Requests)[]): Requests {
  return names.reduce(withoutRequest, requests);
}
