import type { Status } from '../protocol/index.ts';

/**
 * The state of the process that runs a loop: there is none, it works, it is stopped (SIGSTOP), it died, or it is on
 * another machine and cannot be checked.
 */
export type OwnerState = 'none' | 'working' | 'stopped' | 'dead' | 'unknown';

/** The process that runs a loop right now. */
export interface SeenOwner {
  readonly state: OwnerState;
  readonly pid?: number;
  /** When it took over the loop. */
  readonly since?: string;
}

/** The part of a loop's state that its public status depends on. */
interface OwnedState {
  readonly status: Status | 'idle';
  readonly wakeAt?: string | undefined;
}

/** The public status: a loop that should be running but has lost its owner has crashed, unless it was parked. */
export function shownStatusOf(loop: OwnedState, owner: OwnerState): Status | 'idle' {
  const isLost = isDriven(loop) && (owner === 'none' || owner === 'dead') && !isParkedLoop(loop, owner);
  return isLost ? 'crashed' : loop.status;
}

/** Whether a loop waits without a process, because its owner shut down cleanly. */
export function isParkedLoop(loop: OwnedState, owner: OwnerState): boolean {
  return isDriven(loop) && owner === 'none' && loop.wakeAt !== undefined;
}

function isDriven({ status }: OwnedState): boolean {
  return status === 'running' || status === 'completing';
}

/** What the running time of a loop is counted from. */
export interface TimeCounted {
  /** As the facts account for it: when an attempt starts and ends. */
  readonly runningMs: number;
  readonly countedAt?: string | undefined;
  /** When the owner took over: the time before that does not count. */
  readonly ownedSince?: string | undefined;
}

/** How long a loop that is being run has been running, up to now. */
export function runningMsAt({ runningMs, countedAt, ownedSince }: TimeCounted, nowMs: number): number {
  const starts = [countedAt, ownedSince].flatMap((instant) => (instant === undefined ? [] : [Date.parse(instant)]));
  return runningMs + Math.max(0, nowMs - Math.max(...starts));
}
