import type { ProofLevel, StopReason } from '../../protocol/index.ts';

/** Why a loop is paused, or how it ended. */
export interface LoopOutcome {
  readonly reason?: StopReason;
  readonly message?: string;
  readonly endedAt?: string;
  readonly verified: boolean;
  /** The level of proof, once the loop has completed. */
  readonly proof?: ProofLevel;
}

/** A loop that is neither paused nor ended. */
export const noOutcome: LoopOutcome = { verified: false };
