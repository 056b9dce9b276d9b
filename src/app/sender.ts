import { maxSenderName, type Sender, type SenderFace } from '../protocol/index.ts';
import { thisMachine } from './machine.ts';
import { userName } from './user-name.ts';

/** This process as the sender of a command. */
export function localSender(face: SenderFace = 'library'): Sender {
  const { host, pid } = thisMachine.self();
  const user = userName()?.slice(0, maxSenderName);
  return { ...(user === undefined ? {} : { user }), host: host.slice(0, maxSenderName), pid, face };
}
