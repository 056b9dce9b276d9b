import * as z from 'zod';
import { boundText } from '../../base/index.ts';

/** The most that one hook's answer may hold; what is longer is only output. */
const longestReply = 256 * 1024;
/** The longest text that hooks may add to one prompt. */
export const longestHookPrompt = 8_000;
/** How many values hooks may hand on in one attempt; the newest are kept. */
export const keptHookValues = 32;
const longestHookValue = 1_000;
const longestReason = 500;

const value = z.union([z.string(), z.number(), z.boolean()], { error: 'a text, a number, true or false' });

/** What a hook may answer on stdout. Keys that are not known here belong to a later version and are ignored. */
const replySchema = z.object({
  continue: z.boolean({ error: 'true or false' }).optional(),
  reason: z.string({ error: 'a text' }).optional(),
  prompt: z.string({ error: 'a text' }).optional(),
  data: z
    .record(z.string().regex(/^[A-Za-z][A-Za-z0-9._-]{0,63}$/), value, {
      error: ({ code }) => (code === 'invalid_key' ? 'a name of at most 64 letters and digits' : 'a mapping'),
    })
    .optional(),
});

/** What a hook answered, in bounds. */
export interface HookReply {
  /** Why the loop is to stop; missing when it may go on. */
  readonly stop?: string;
  readonly prompt?: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** An answer, or what is wrong with it. Output that is no JSON object is no answer: nothing follows from it. */
export type HookReading =
  | { readonly ok: true; readonly reply: HookReply }
  | { readonly ok: false; readonly problem: string };

/** Reads what a hook printed on stdout. */
export function readHookReply(stdout: string): HookReading {
  const object = objectIn(stdout.trim());
  if (object === undefined) return { ok: true, reply: {} };
  const parsed = replySchema.safeParse(object);
  if (parsed.success) return { ok: true, reply: bounded(parsed.data) };
  const [issue] = parsed.error.issues;
  return { ok: false, problem: `"${issue?.path.join('.') ?? ''}" in its answer must be ${issue?.message ?? ''}` };
}

/** Values of earlier hooks and those of a later one, which win. */
export function mergeHookData(
  before: Readonly<Record<string, string>> | undefined,
  added: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  const older = Object.entries(before ?? {}).filter(([name]) => added === undefined || !Object.hasOwn(added, name));
  return Object.fromEntries([...older, ...Object.entries(added ?? {})].slice(-keptHookValues));
}

function objectIn(text: string): object | undefined {
  if (!text.startsWith('{') || text.length > longestReply) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function bounded({ continue: goesOn, reason, prompt, data }: z.output<typeof replySchema>): HookReply {
  const why = reason === undefined || reason.trim() === '' ? 'it gave no reason' : boundText(reason, longestReason);
  const values = Object.entries(data ?? {}).map(([name, each]): [string, string] => [
    name,
    boundText(String(each), longestHookValue),
  ]);
  return {
    ...(goesOn === false ? { stop: why } : {}),
    ...(prompt === undefined || prompt.trim() === '' ? {} : { prompt: boundText(prompt, longestHookPrompt) }),
    ...(values.length === 0 ? {} : { data: Object.fromEntries(values.slice(-keptHookValues)) }),
  };
}
