import { identityOf, type Liveness, livenessOf, type ProcessIdentity, selfIdentity } from '../process/index.ts';
import type { Clock } from '../runner/index.ts';
import { systemClock } from './clock.ts';

/** The machine that the use cases run on: what time it is, who asks, and which processes are there. */
export interface Machine {
  readonly clock: Clock;
  /** This process. */
  self(): ProcessIdentity;
  /** Whether a process still lives, as far as this machine can see. */
  livenessOf(identity: ProcessIdentity): Liveness;
  /** Whether any process has this number here. */
  isRunning(pid: number): boolean;
}

/** The machine we are on. */
export const thisMachine: Machine = {
  clock: systemClock,
  self: selfIdentity,
  livenessOf,
  isRunning: (pid) => identityOf(pid) !== undefined,
};

/** The wall clock's time as documents spell it. */
export function timestamp({ clock }: Pick<Machine, 'clock'> = thisMachine): string {
  return new Date(clock.nowMs()).toISOString();
}
