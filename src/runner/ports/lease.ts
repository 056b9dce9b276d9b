import type { ProcessIdentity } from '../../protocol/index.ts';

/** Who owns a loop: a process that is named the same on every machine. */
export interface LoopOwner extends ProcessIdentity {
  /** Rises with every owner of the loop. */
  readonly epoch: number;
  /** Since when, RFC 3339 UTC. */
  readonly since: string;
}

/**
 * Whether an owner still lives, as far as this machine can see. An owner on another machine is `unknown`: its loop
 * is neither crashed nor free.
 */
export type Liveness = 'alive' | 'dead' | 'unknown';

/** Until when an agent may run without word from its owner. */
export interface Permit {
  /** An instant of the wall clock. */
  readonly untilMs: number;
}

/** The right to be the one owner of a loop. Whoever holds it may append; whoever has lost it may not. */
export interface Lease {
  /** Rises with every owner of the loop; facts of an older epoch do not count after those of a newer one. */
  readonly epoch: number;
  readonly owner: ProcessIdentity;
  /** Aborts once another process may own the loop, with a `LoopError` as its reason. It never comes back. */
  readonly lost: AbortSignal;
  /**
   * How long an agent that is started now may outlive its owner, for a lease that ends by itself: whoever has the loop
   * next must not meet it. Where it is left out, an agent runs on until its iteration's deadline, and can be adopted.
   */
  permit?(): Permit;
  /** Gives the loop up in good order, so that the next owner need not wonder what became of this one. */
  release(): Promise<void>;
}
