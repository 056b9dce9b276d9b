import { scrub } from '../../base/index.ts';
import type { Sender } from '../../protocol/index.ts';
import { oneLine } from '../output/plain.ts';

/** Who sent a command: `ana@build (process 7)`. */
export function senderText({ user, host, pid, face }: Sender): string {
  if (face === 'signal') return `a signal to process ${pid}`;
  if (face === 'driver') return `ralphd itself (process ${pid})`;
  const who = oneLine(scrub(user === undefined ? host : `${user}@${host}`), 60);
  const what = face === 'library' ? 'a program, ' : face === 'page' ? 'the page, ' : '';
  return `${who} (${what}process ${pid})`;
}
