/** A lock that this process holds. */
export interface HeldLock {
  release(): void;
}

/** Ensures that a loop has only one owner. */
export interface LockPort {
  /**
   * Holds the lock on an existing file until it is released or this process dies, however it dies; undefined when
   * someone else holds it. Never waits.
   */
  tryHold(path: string): HeldLock | undefined;
}
