import type { ProcessIdentity } from '../../protocol/index.ts';

/** The owner of a loop: a process, identified the same way on every machine. */
export interface LoopOwner extends ProcessIdentity {
  /** Rises with every owner of the loop. */
  readonly epoch: number;
  /** Since when, RFC 3339 UTC. */
  readonly since: string;
}

/**
 * Whether an owner is alive, as far as this machine can tell. An owner on another machine is `unknown`: its loop
 * is neither crashed nor free.
 */
export type Liveness = 'alive' | 'dead' | 'unknown';

/** Until when an agent may run without hearing from its owner. */
export interface Permit {
  /** An instant of the wall clock. */
  readonly untilMs: number;
}

/** The right to be the only owner of a loop. Only its holder may append. */
export interface Lease {
  /** Rises with every owner of the loop; facts of an older epoch do not count after those of a newer one. */
  readonly epoch: number;
  readonly owner: ProcessIdentity;
  /** Aborts once another process may own the loop, with a `LoopError` as its reason. Final. */
  readonly lost: AbortSignal;
  /**
   * How long an agent started now may outlive its owner, for a lease that expires: the next owner must not find it still
   * running. Without it, an agent runs until its iteration's deadline and can be adopted.
   */
  permit?(): Permit;
  /** Releases the loop cleanly, so that the next owner knows that this one did not crash. */
  release(): Promise<void>;
}
