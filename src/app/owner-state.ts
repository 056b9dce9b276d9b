import { isStopped } from '../process/index.ts';
import type { LoopOnDisk } from '../store/index.ts';

/**
 * What is known about the process that drives a loop: there is none, it works, it is stopped until somebody continues
 * it, it died, or it is on a machine that cannot be seen from here.
 */
export type OwnerState = 'none' | 'working' | 'stopped' | 'dead' | 'unknown';

/** Looks at the owner of a loop. */
export function ownerStateOf(owner: LoopOnDisk['owner']): OwnerState {
  if (owner === undefined) return 'none';
  if (owner.liveness !== 'alive') return owner.liveness;
  return isStopped(owner) ? 'stopped' : 'working';
}
