import { requeueLoop } from '../../app/index.ts';
import { failures, LoopError } from '../../base/index.ts';
import type { OwnerStarter } from '../../server/index.ts';

/** Continues loops of a fleet with the settings that they have: the next worker that takes one drives it. */
export function createFleetOwners(address: string): OwnerStarter {
  return {
    async resume(_place, loopId, request) {
      if (Object.values(request).some((value) => value !== undefined && value !== false))
        throw new LoopError(failures.requestInvalid('a loop of a fleet is resumed with the settings that it has'));
      if (!(await requeueLoop(address, loopId))) throw new LoopError(failures.fleetNotThere(loopId, 'requeue'));
      return { loopId, warnings: [] };
    },
  };
}
