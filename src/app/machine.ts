import { identityOf, type Liveness, livenessOf, type ProcessIdentity, selfIdentity } from '../process/index.ts';
import type { Clock } from '../runner/index.ts';
import { systemClock } from './clock.ts';

/** The machine that the use cases run on: its time, this process, and which processes are alive. */
export interface Machine {
  readonly clock: Clock;
  /** This process. */
  self(): ProcessIdentity;
  /** Whether a process still lives, as far as this machine can see. */
  livenessOf(identity: ProcessIdentity): Liveness;
  /** Whether any process here has this number. */
  isRunning(pid: number): boolean;
}

/** The current machine. */
export const thisMachine: Machine = {
  clock: systemClock,
  self: selfIdentity,
  livenessOf,
  isRunning: (pid) => identityOf(pid) !== undefined,
};

/** The current time in the format of documents. */
export function timestamp({ clock }: Pick<Machine, 'clock'> = thisMachine): string {
  return new Date(clock.nowMs()).toISOString();
}

/** The time zone of this machine. */
export function localTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
