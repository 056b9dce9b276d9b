import { type InboxPlace, peekCommands } from '../../control/index.ts';
import type { PendingCommand } from '../loop-view.ts';

/** The commands in an inbox, as they are shown. */
export function peekPending(place: InboxPlace): readonly PendingCommand[] {
  return peekCommands(place).map(({ command, sentAtMs }) => ({
    id: command.id,
    command: command.command,
    ...('now' in command && command.now === true ? { now: true } : {}),
    ...(command.sender && { sender: command.sender }),
    sentAt: new Date(sentAtMs).toISOString(),
  }));
}
