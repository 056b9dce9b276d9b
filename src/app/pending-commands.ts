import { LoopError } from '../base/index.ts';
import { filesInInbox } from '../control/index.ts';
import type { LoopFolders } from '../store/index.ts';
import type { PendingCommand } from './loop-view.ts';

/** The commands sent to a loop that no process has answered yet, oldest first. */
export async function readPendingCommands(folders: LoopFolders, loopId: string): Promise<readonly PendingCommand[]> {
  try {
    const place = folders.place(loopId);
    if (filesInInbox(place).length === 0) return [];
    // Loaded on demand: reading commands takes their schemas.
    const { peekPending } = await import('./adapters/peek-commands.ts');
    return peekPending(place);
  } catch (error) {
    // An unreadable inbox does not hide the rest of the status.
    if (error instanceof LoopError) return [];
    throw error;
  }
}
