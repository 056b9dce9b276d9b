import { isStopped } from '../process/index.ts';
import type { LoopOnDisk } from '../store/index.ts';

/**
 * The state of the process that runs a loop: there is none, it works, it is stopped (SIGSTOP), it died, or it is on
 * another machine and cannot be checked.
 */
export type OwnerState = 'none' | 'working' | 'stopped' | 'dead' | 'unknown';

/** The state of a loop's owner. */
export function ownerStateOf(owner: LoopOnDisk['owner']): OwnerState {
  if (owner === undefined) return 'none';
  if (owner.liveness !== 'alive') return owner.liveness;
  return isStopped(owner) ? 'stopped' : 'working';
}
