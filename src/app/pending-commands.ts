import { LoopError } from '../base/index.ts';
import { filesInInbox } from '../control/index.ts';
import type { PendingCommand } from './loop-view.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** The commands sent to a loop that no process has answered yet, oldest first. */
export async function readPendingCommands(place: LoopPlace, loopId: string): Promise<readonly PendingCommand[]> {
  try {
    const folder = openStore(place).place(loopId);
    if (filesInInbox(folder).length === 0) return [];
    // Loaded on demand: reading commands takes their schemas.
    const { peekPending } = await import('./adapters/peek-commands.ts');
    return peekPending(folder);
  } catch (error) {
    // An unreadable inbox does not hide the rest of the status.
    if (error instanceof LoopError) return [];
    throw error;
  }
}
