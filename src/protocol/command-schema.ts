import * as z from 'zod';
import { argumentOf, maxGuidanceLength, offeredCommands } from './commands.ts';

const id = z.string().min(1).max(100);

const fields = {
  now: { now: z.boolean().optional() },
  text: { text: z.string().max(maxGuidanceLength) },
  signal: { signal: z.string() },
} as const;

const schemas = offeredCommands.map((name) => {
  const takes = argumentOf(name);
  return z.strictObject({ id, command: z.literal(name), ...(takes === undefined ? {} : fields[takes]) });
});

/** A command as anybody may send it to a loop. */
export const commandSchema = z.union(schemas);
