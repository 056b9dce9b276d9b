import * as z from 'zod';
import { failures, LoopError } from '../../base/index.ts';
import { configSchema, encodeConfig, type LoopConfig } from '../../protocol/index.ts';

/** What a worker needs to start a loop, as it is stored. */
const stored = z.object({
  version: z.literal(1),
  uuid: z.string(),
  config: z.record(z.string(), z.unknown()),
  given: z.array(z.string()),
  chosen: z.array(z.string()),
  repository: z.string(),
  ref: z.string().optional(),
});

/** A loop that someone wants to be driven. */
export interface LoopRequest {
  readonly uuid: string;
  readonly config: LoopConfig;
  /** The settings that were given anywhere; the others may come from the prompt's front matter. */
  readonly given: readonly string[];
  /** Those that were chosen by a flag or a variable. */
  readonly chosen: readonly string[];
  /** The repository that it works on. */
  readonly repository: string;
  /** The branch, tag or commit that it starts from. */
  readonly ref?: string;
}

/** A request as text. */
export function writeRequest({ config, given, chosen, ...rest }: LoopRequest): string {
  return JSON.stringify({ version: 1, ...rest, config: encodeConfig(config), given: [...given], chosen: [...chosen] });
}

/** Reads a request; refuses one of a newer ralphd. */
export function readRequest(loopId: string, text: string | null): LoopRequest {
  const { success, data, error } = stored.safeParse(parse(text));
  if (!success) throw new LoopError(failures.stateUnreadable(loopId, `its request is no request (${error.message})`));
  const { version: _version, config, ref, ...rest } = data;
  const read = configSchema.safeParse(config);
  if (!read.success)
    throw new LoopError(failures.stateUnreadable(loopId, `its settings are not known here (${read.error.message})`));
  return { ...rest, config: read.data, ...(ref === undefined ? {} : { ref }) };
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
