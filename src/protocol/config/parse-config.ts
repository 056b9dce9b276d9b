import { failures, LoopError } from '../../base/index.ts';
import type { LoopConfig } from './loop-config.ts';
import { configSchema } from './schema.ts';

/** The configuration with all defaults filled in, or an error about its first problem. */
export function parseConfig(input: unknown): LoopConfig {
  const parsed = configSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  const place = first === undefined || first.path.length === 0 ? 'The configuration' : first.path.join('.');
  throw new LoopError(failures.configBadValue(place, first?.message ?? 'something else', 'what was given'));
}
