import { setTimeout as pause } from 'node:timers/promises';
import type { Delivery } from './delivery.ts';

/** One request to a receiver. */
export interface Post {
  readonly url: string;
  readonly body: unknown;
  /** Headers for a body, computed again for each attempt. */
  readonly headers?: (body: string) => Readonly<Record<string, string>>;
}

/** How long to wait before each further attempt. */
const retryDelaysMs: readonly number[] = [1_000, 2_000, 4_000];

/** Posts JSON; a receiver that is busy or cannot be reached is tried again until the signal ends it. */
export async function post(
  request: Post,
  signal: AbortSignal,
  delaysMs: readonly number[] = retryDelaysMs,
): Promise<Delivery> {
  const [delayMs, ...rest] = delaysMs;
  const attempt = await postOnce(request, signal);
  if (attempt.ok || !attempt.mayRetry || delayMs === undefined || signal.aborted) return attempt;
  try {
    await pause(delayMs, undefined, { signal });
  } catch {
    return attempt;
  }
  return await post(request, signal, rest);
}

type Attempt =
  | { readonly ok: true; readonly answer?: string }
  | { readonly ok: false; readonly why: string; readonly mayRetry: boolean };

/** Posts JSON once. Reads the answer if it may have a size; a longer one is a failure. */
export async function postOnce(
  { url, body, headers }: Post,
  signal: AbortSignal,
  maxAnswerBytes?: number,
): Promise<Attempt> {
  const text = JSON.stringify(body);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'ralphd', ...headers?.(text) },
      body: text,
      // Following would send the message, and perhaps its secrets, to somebody else.
      redirect: 'manual',
      signal,
    });
    const refusal = refusalOf(response.status);
    if (maxAnswerBytes === undefined || refusal !== undefined) {
      await response.body?.cancel();
      return refusal ?? { ok: true };
    }
    return await readAnswer(response, maxAnswerBytes);
  } catch (error) {
    if (signal.aborted) return { ok: false, why: 'it did not answer in time', mayRetry: false };
    return { ok: false, why: `it cannot be reached (${causeOf(error)})`, mayRetry: true };
  }
}

async function readAnswer({ body }: Response, maxBytes: number): Promise<Attempt> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    // Leaving the loop cancels the rest.
    if (size > maxBytes) return { ok: false, why: `it answered with more than ${maxBytes} bytes`, mayRetry: false };
    chunks.push(chunk);
  }
  return { ok: true, answer: Buffer.concat(chunks).toString('utf8') };
}

function refusalOf(status: number): Attempt | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400) {
    return { ok: false, why: `it answered with a redirect (HTTP ${status}), which is not followed`, mayRetry: false };
  }
  const mayRetry = status === 408 || status === 429 || status >= 500;
  return { ok: false, why: `it answered with HTTP ${status}`, mayRetry };
}

/** The code alone: messages of the network may contain the address. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : 'network error';
}
