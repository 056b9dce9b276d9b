import { failures, LoopError } from '../base/index.ts';
import { endProcess, selfIdentity } from '../process/index.ts';
import type { LoopFolders } from '../store/index.ts';

/** How long an owner may take to pause its loop in good order before it is killed. */
const ownerGraceMs = 15_000;

/**
 * Ends the process that drives a loop on this machine, frozen or not: first it may pause the loop, then it is killed.
 * Only that very process is ended, never another one that got its number. Returns what was done.
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
  return [`Process ${owner.pid}, which was driving loop ${loopId}, ${how}.`];
}
