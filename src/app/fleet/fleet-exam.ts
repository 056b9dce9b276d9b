import type { FleetHealth, FleetStatus } from '../../fleet/index.ts';

/** What is known of a fleet when it is examined. */
export interface FleetExam {
  readonly place: string;
  readonly status: FleetStatus;
  readonly health: FleetHealth;
  /** The clock of this machine when the database told its own. */
  readonly nowMs: number;
}

/** A number with its noun. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
