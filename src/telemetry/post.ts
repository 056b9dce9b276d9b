import { compress } from '../files/index.ts';
import type { Target } from './settings.ts';

/** What became of a request. */
export type Posted =
  | { readonly kind: 'accepted' /** What the receiver says it left out. */; readonly rejected?: string }
  /** Worth another try, after a while. */
  | { readonly kind: 'failed'; readonly why: string; readonly afterMs?: number }
  /** The receiver wants none of what was in it. */
  | { readonly kind: 'refused'; readonly why: string };

const maxAnswerBytes = 64 * 1024;
const maxAfterMs = 300_000;

/** Posts JSON to a collector once. Never throws. */
export async function postOnce(target: Target, body: object, signal: AbortSignal): Promise<Posted> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(target.timeoutMs)]);
  const text = Buffer.from(JSON.stringify(body));
  try {
    const response = await fetch(target.url, {
      method: 'POST',
      headers: {
        ...target.headers,
        'content-type': 'application/json',
        'user-agent': 'ralphd',
        ...(target.isCompressed ? { 'content-encoding': 'gzip' } : {}),
      },
      body: target.isCompressed ? compress(text) : text,
      // Following would send the headers, and their secrets, to somebody else.
      redirect: 'manual',
      signal: limit,
    });
    const answer = await readAnswer(response);
    return judge(response, answer);
  } catch (error) {
    if (limit.aborted) return { kind: 'failed', why: 'it did not answer in time' };
    return { kind: 'failed', why: `it cannot be reached (${causeOf(error)})` };
  }
}

/** What is wrong with the request itself stays wrong; everything else may be a matter of time or of settings. */
const refusals: ReadonlySet<number> = new Set([400, 413, 422]);

function judge({ status, headers }: Response, answer: string): Posted {
  if (status >= 200 && status < 300) return { kind: 'accepted', ...rejectedIn(answer) };
  const why = `it answered with HTTP ${status}`;
  if (refusals.has(status)) return { kind: 'refused', why };
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const isGiven = Number.isFinite(seconds) && seconds >= 0;
  return { kind: 'failed', why, ...(isGiven ? { afterMs: Math.min(seconds * 1_000, maxAfterMs) } : {}) };
}

/** The beginning of an answer, which is all that matters of it. */
async function readAnswer({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop cancels the rest.
    if (size > maxAnswerBytes) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function rejectedIn(answer: string): { readonly rejected?: string } {
  const partial = partialSuccessIn(answer);
  const count = Number(partial?.['rejectedSpans'] ?? partial?.['rejectedDataPoints'] ?? 0);
  if (!(count > 0)) return {};
  const message = partial?.['errorMessage'];
  return { rejected: `${count}${typeof message === 'string' && message !== '' ? `: ${message}` : ''}` };
}

function partialSuccessIn(answer: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const { partialSuccess } = JSON.parse(answer) as { partialSuccess?: unknown };
    return typeof partialSuccess === 'object' && partialSuccess !== null ? { ...partialSuccess } : undefined;
  } catch {
    return undefined;
  }
}

/** The code alone: messages of the network may contain the address. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : 'network error';
}
