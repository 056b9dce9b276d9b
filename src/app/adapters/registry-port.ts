/** The list of active loops for other tools; always rebuilt from the loops themselves. */
export interface Registry {
  /** Runs an operation that adds or removes loops, while no other process does the same. */
  whileLocked<Result>(action: () => Promise<Result>): Promise<Result>;
  /** Updates `registry.json`. */
  refresh(): void;
}
