import path from 'node:path';
import type { Message } from '../core/index.ts';
import { look, moveLog, nodeFiles, openLog, writeAll } from '../files/index.ts';
import type { ChannelConfig } from '../protocol/index.ts';
import type { Delivery, SenderPlace } from './delivery.ts';
import { payloadOf } from './requests.ts';

/** A longer log becomes `FILE.1`, and a new one begins. */
const maxLogBytes = 1024 * 1024;

/** Appends the message to a file as one line of JSON. Several loops may share the file, so its lines are never moved. */
export function appendToLog({ path: file }: ChannelConfig, message: Message, { cwd }: SenderPlace): Delivery {
  if (file === undefined) return { ok: false, why: 'it has no file' };
  const place = path.resolve(cwd, file);
  const found = look(nodeFiles, place);
  if (found?.kind === 'file' && found.size >= maxLogBytes) moveLog(place, `${place}.1`);
  const log = openLog(place);
  try {
    writeAll(nodeFiles, log, Buffer.from(`${JSON.stringify(payloadOf(message))}\n`));
  } finally {
    nodeFiles.close(log);
  }
  return { ok: true };
}
