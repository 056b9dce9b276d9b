import { failures, LoopError } from '../base/index.ts';
import { endProcess, selfIdentity } from '../process/index.ts';
import type { LoopFolders } from '../store/index.ts';

/** How long an owner may take to pause its loop cleanly before it is killed. */
const ownerGraceMs = 15_000;

/**
 * Ends the process that runs a loop on this machine, frozen or not: it first gets the chance to pause the loop, then it
 * is killed. Never ends another process that reuses its number. Returns what was done.
 */
export async function endOwner(folders: LoopFolders, loopId: string): Promise<readonly string[]> {
  const owner = folders.has(loopId) ? folders.owner(loopId) : undefined;
  if (owner?.liveness !== 'alive') return [];
  const self = selfIdentity();
  if (owner.pid === self.pid && owner.startTime === self.startTime) {
    throw new LoopError(failures.loopLocked(loopId, owner)); // a program must not end itself to get at its own loop
  }
  const ending = await endProcess(owner, { graceMs: ownerGraceMs });
  if (ending === 'failed') throw new LoopError(failures.ownerNotEnded(loopId, owner));
  const how = ending === 'killed' ? 'did not respond and was killed' : 'was ended';
  return [`Process ${owner.pid}, which was running loop ${loopId}, ${how}.`];
}
