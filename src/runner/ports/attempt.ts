/** Which attempt at which iteration. */
export interface AttemptKey {
  readonly iteration: number;
  readonly attempt: number;
}

/** What can interrupt an effect: `signal` requests it, `kill` forces it. The reason of each is an `Interruption`. */
export interface EffectSignals {
  readonly signal: AbortSignal;
  readonly kill: AbortSignal;
}

/**
 * Why an effect is interrupted: a person's command, a signal to the process, a store in trouble, a store that failed,
 * or another owner of the loop.
 */
export type InterruptionCause = 'user' | 'signal' | 'trouble' | 'store_failed' | 'lease_lost';

/** The reason that an effect's signals carry. */
export interface Interruption {
  readonly cause: InterruptionCause;
}
