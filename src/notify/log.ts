import path from 'node:path';
import type { Message } from '../core/index.ts';
import { nodeFiles, openLog, writeAll } from '../files/index.ts';
import type { ChannelConfig } from '../protocol/index.ts';
import type { Delivery, SenderPlace } from './delivery.ts';
import { payloadOf } from './requests.ts';

/** Appends the message to a file as one line of JSON. */
export function appendToLog({ path: file }: ChannelConfig, message: Message, { cwd }: SenderPlace): Delivery {
  if (file === undefined) return { ok: false, why: 'it has no file' };
  const log = openLog(path.resolve(cwd, file));
  try {
    writeAll(nodeFiles, log, Buffer.from(`${JSON.stringify(payloadOf(message))}\n`));
  } finally {
    nodeFiles.close(log);
  }
  return { ok: true };
}
