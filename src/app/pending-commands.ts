import { LoopError } from '../base/index.ts';
import { filesInInbox } from '../control/index.ts';
import type { Sender } from '../protocol/index.ts';
import type { LoopFolders } from '../store/index.ts';

/** A command that waits for its answer. What it says beyond that, such as guidance, may hold secrets and is not shown. */
export interface PendingCommand {
  readonly id: string;
  readonly command: string;
  /** Only for a pause that does not wait for the end of the iteration. */
  readonly now?: boolean;
  readonly sender?: Sender;
  readonly sentAt: string;
}

/** The commands that were sent to a loop and that nobody has answered, oldest first. */
export async function readPendingCommands(folders: LoopFolders, loopId: string): Promise<readonly PendingCommand[]> {
  try {
    const place = folders.place(loopId);
    if (filesInInbox(place).length === 0) return [];
    // Loaded on demand: reading commands takes their schemas.
    const { peekCommands } = await import('../control/index.ts');
    return peekCommands(place).map(({ command, sentAtMs }) => ({
      id: command.id,
      command: command.command,
      ...('now' in command && command.now === true ? { now: true } : {}),
      ...(command.sender && { sender: command.sender }),
      sentAt: new Date(sentAtMs).toISOString(),
    }));
  } catch (error) {
    // An inbox that cannot be read hides nothing else.
    if (error instanceof LoopError) return [];
    throw error;
  }
}
