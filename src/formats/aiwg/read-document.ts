import * as z from 'zod';
import { idleLoop, type Loop, proofLevelOf, readSpent } from '../../core/index.ts';
import { configSchema } from '../../protocol/index.ts';

const nativePart = z.looseObject({
  ralphd: z.looseObject({ loop: z.looseObject({ id: z.string(), seq: z.int(), config: z.looseObject({}) }) }),
});

/**
 * The loop that one of our own snapshots holds; `undefined` when it is not one, so that the journal is read instead.
 * The snapshot's checksum was verified before: what is checked here is only that it is ours and complete.
 */
export function fromStateDocument(document: unknown): Loop | undefined {
  const parsed = nativePart.safeParse(document);
  if (!parsed.success) return undefined;
  const { loop } = parsed.data.ralphd;
  const config = configSchema.safeParse(loop.config);
  if (!config.success) return undefined;
  // A snapshot of an earlier version lacks what was added since.
  const read = { ...idleLoop(config.data), ...loop, spent: readSpent(loop['spent'] ?? {}), config: config.data };
  return read.status === 'completed' ? { ...read, proof: read.proof ?? proofLevelOf(read, read.verified) } : read;
}
