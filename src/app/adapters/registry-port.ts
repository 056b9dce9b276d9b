/** The list of all live loops that other tools read; always rebuilt from the loops themselves. */
export interface Registry {
  /** Does something that changes which loops there are, with nobody else doing so at the same time. */
  whileLocked<Result>(action: () => Promise<Result>): Promise<Result>;
  /** Brings `registry.json` up to date. */
  refresh(): void;
}
