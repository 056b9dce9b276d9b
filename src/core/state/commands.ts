import type { Guidance } from './attempt.ts';

/** What a person requested and the loop has yet to do. */
export interface Requests {
  readonly pause?: {
    readonly now: boolean;
    readonly reason: 'user_pause' | 'interrupted' | 'environment';
    readonly message?: string;
  };
  readonly end?: { readonly gracefully: boolean };
  readonly skip?: true;
  readonly reboot?: true;
  readonly resume?: true;
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
  /** Guidance that waits for the next prompt. */
  readonly guidance: readonly Guidance[];
  /** The newest commands that were answered, so that none is carried out twice and its sender learns the answer. */
  readonly served: readonly ServedCommand[];
}

/** No commands yet. */
export const noCommands: CommandState = { requests: {}, guidance: [], served: [] };

/** How much guidance may wait for the next prompt. */
export const maxGuidance = 50;
/** How many answered commands are remembered. */
export const maxServedCommands = 64;

/** The requests without one that has been served. */
export function withoutRequest(requests: Requests, name: keyof Requests): Requests {
  const { [name]: _served, ...rest } = requests;
  return rest;
}
