import { isStopped } from '../process/index.ts';
import type { LoopOnDisk } from '../store/index.ts';
import type { OwnerState } from '../views/index.ts';

/** The state of a loop's owner. */
export function ownerStateOf(owner: LoopOnDisk['owner']): OwnerState {
  if (owner === undefined) return 'none';
  if (owner.liveness !== 'alive') return owner.liveness;
  return isStopped(owner) ? 'stopped' : 'working';
}
