import * as z from 'zod';
import { boundText } from '../../base/index.ts';

/** Maximum length of a hook's reply; anything longer is treated as plain output. */
const maxReplyLength = 256 * 1024;
/** Maximum length of the text that hooks may add to one prompt. */
export const maxHookPromptLength = 8_000;
/** Maximum number of values that hooks may pass on in one attempt; the newest are kept. */
export const maxHookValues = 32;
const maxHookValueLength = 1_000;
const maxReasonLength = 500;

const value = z.union([z.string(), z.number(), z.boolean()], { error: 'text, a number, true or false' });

/** What a hook may print on stdout as its reply. Unknown keys belong to later versions and are ignored. */
const replySchema = z.object({
  continue: z.boolean({ error: 'true or false' }).optional(),
  reason: z.string({ error: 'text' }).optional(),
  prompt: z.string({ error: 'text' }).optional(),
  data: z
    .record(z.string().regex(/^[A-Za-z][A-Za-z0-9._-]{0,63}$/), value, {
      error: ({ code }) => (code === 'invalid_key' ? 'a name of at most 64 letters and digits' : 'a mapping'),
    })
    .optional(),
});

/** A hook's reply, truncated. */
export interface HookReply {
  /** Why the loop should stop; absent if it may continue. */
  readonly stop?: string;
  readonly prompt?: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** A reply, or what is wrong with it. Output that is not a JSON object is not a reply. */
export type HookReading =
  | { readonly ok: true; readonly reply: HookReply }
  | { readonly ok: false; readonly problem: string };

/** Parses the stdout of a hook. */
export function readHookReply(stdout: string): HookReading {
  const object = objectIn(stdout.trim());
  if (object === undefined) return { ok: true, reply: {} };
  const parsed = replySchema.safeParse(object);
  if (parsed.success) return { ok: true, reply: bounded(parsed.data) };
  const [issue] = parsed.error.issues;
  return { ok: false, problem: `"${issue?.path.join('.') ?? ''}" in its reply must be ${issue?.message ?? ''}` };
}

/** Merges the values of earlier hooks with those of a later one, which take precedence. */
export function mergeHookData(
  before: Readonly<Record<string, string>> | undefined,
  added: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  const older = Object.entries(before ?? {}).filter(([name]) => added === undefined || !Object.hasOwn(added, name));
  return Object.fromEntries([...older, ...Object.entries(added ?? {})].slice(-maxHookValues));
}

function objectIn(text: string): object | undefined {
  if (!text.startsWith('{') || text.length > maxReplyLength) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function bounded({ continue: goesOn, reason, prompt, data }: z.output<typeof replySchema>): HookReply {
  const why = reason === undefined || reason.trim() === '' ? 'no reason given' : boundText(reason, maxReasonLength);
  const values = Object.entries(data ?? {}).map(([name, each]): [string, string] => [
    name,
    boundText(String(each), maxHookValueLength),
  ]);
  return {
    ...(goesOn === false ? { stop: why } : {}),
    ...(prompt === undefined || prompt.trim() === '' ? {} : { prompt: boundText(prompt, maxHookPromptLength) }),
    ...(values.length === 0 ? {} : { data: Object.fromEntries(values.slice(-maxHookValues)) }),
  };
}
