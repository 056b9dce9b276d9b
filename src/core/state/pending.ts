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
  readonly cause: 'delay' | 'limit' | 'environment' | 'unknown' | 'reboot' | 'schedule' | 'rate';
  readonly message: string;
}

/** How many times in a row something happened that costs no iteration. */
export interface FreeRetries {
  readonly limit: number;
  readonly environment: number;
  readonly unknown: number;
  readonly reboot: number;
}

/** An agent's interactive session that works on a loop. */
export interface HostSession {
  readonly agent: string;
  /** Unknown until the session stops for the first time. */
  readonly id?: string | undefined;
}

/** What has to happen before the next attempt. */
export interface Pending {
  readonly wait?: Wait;
  readonly owed?: Owed;
  /** When to resume: the last owner shut down cleanly while the loop waits. */
  readonly wakeAt?: string;
  /** The interactive session whose agent has the prompt of the current attempt; no process runs the loop meanwhile. */
  readonly hostSession?: HostSession;
  /** After how many failed reboots in a row the loop has waited. */
  readonly rebootWaits?: number;
  readonly retries: FreeRetries;
}

/** The next attempt may start at once. */
export const nothingPending: Pending = { retries: { limit: 0, environment: 0, unknown: 0, reboot: 0 } };
