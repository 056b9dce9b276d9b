import * as z from 'zod';
import { type Loop, proofLevelOf } from '../../core/index.ts';
import { configSchema, storedLoopSchema } from '../../protocol/index.ts';
import { fromStoredLoop } from '../snapshot/stored-loop.ts';

const nativePart = z.looseObject({ ralphd: z.looseObject({ loop: storedLoopSchema }) });

/** The loop in a snapshot of ralphd; `undefined` if this version cannot read it. */
export function fromStateDocument(document: unknown): Loop | undefined {
  const parsed = nativePart.safeParse(document);
  if (!parsed.success) return undefined;
  const { loop } = parsed.data.ralphd;
  const config = configSchema.safeParse(loop.config);
  if (!config.success) return undefined;
  const read = fromStoredLoop(loop, config.data);
  if (read.status !== 'completed') return read;
  const { proof = proofLevelOf(read, read.outcome.verified) } = read.outcome;
  return { ...read, outcome: { ...read.outcome, proof } };
}
