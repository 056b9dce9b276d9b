/**
 * What follows from the baseline or the end of an attempt and is not recorded yet. It is derived from the fact itself,
 * so that a crash right after that fact does not lose it.
 */
export type Owed =
  | { readonly cause: 'delay' }
  | {
      readonly cause: 'limit' | 'environment' | 'unknown' | 'configuration' | 'hook' | 'obstacle';
      readonly message: string;
      readonly resetAt?: string;
    };

/** Nothing starts before this instant. */
export interface Wait {
  readonly until: string;
  /** When it was decided; missing in snapshots of the first releases. */
  readonly since?: string;
  readonly cause: 'delay' | 'limit' | 'environment' | 'unknown' | 'reboot' | 'schedule';
  readonly message: string;
}

/** How many times in a row something happened that costs no iteration. */
export interface FreeRetries {
  readonly limit: number;
  readonly environment: number;
  readonly unknown: number;
  readonly reboot: number;
}

/** What has to happen before the next attempt. */
export interface Pending {
  readonly wait?: Wait;
  readonly owed?: Owed;
  /** When to resume: the last owner shut down cleanly while the loop waits. */
  readonly wakeAt?: string;
  /** After how many failed reboots in a row the loop has waited. */
  readonly rebootWaits?: number;
  readonly retries: FreeRetries;
}

/** The next attempt may start at once. */
export const nothingPending: Pending = { retries: { limit: 0, environment: 0, unknown: 0, reboot: 0 } };
