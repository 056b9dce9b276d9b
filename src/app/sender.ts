import { userInfo } from 'node:os';
import { maxSenderName, type Sender, type SenderFace } from '../protocol/index.ts';
import { thisMachine } from './machine.ts';

/** This process as the sender of a command. */
export function localSender(face: SenderFace = 'library'): Sender {
  const { host, pid } = thisMachine.self();
  const user = userName();
  return { ...(user === undefined ? {} : { user }), host: host.slice(0, maxSenderName), pid, face };
}

function userName(): string | undefined {
  try {
    return userInfo().username.slice(0, maxSenderName);
  } catch {
    // A container may run as a user without a name.
    return undefined;
  }
}
