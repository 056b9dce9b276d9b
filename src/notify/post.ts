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

type Attempt = { readonly ok: true } | { readonly ok: false; readonly why: string; readonly mayRetry: boolean };

async function postOnce({ url, body, headers }: Post, signal: AbortSignal): Promise<Attempt> {
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
    await response.body?.cancel();
    return readStatus(response.status);
  } catch (error) {
    if (signal.aborted) return { ok: false, why: 'it did not answer in time', mayRetry: false };
    return { ok: false, why: `it cannot be reached (${causeOf(error)})`, mayRetry: true };
  }
}

function readStatus(status: number): Attempt {
  if (status >= 200 && status < 300) return { ok: true };
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
