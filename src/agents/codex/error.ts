import { outcomeOfError } from '../_shared/error-outcome.ts';
import type { AgentEvent } from '../_shared/event.ts';
import { readProviderError, resetOf } from '../_shared/provider-error.ts';
import type { ReadError } from '../_shared/read-error.ts';
import { resetOnTheWall, type WallClock } from '../_shared/reset-words.ts';

/** Reads the message of a failed turn. */
export function readCodexError(text: string, clock: WallClock): ReadError {
  const error = readProviderError(text);
  const outcome = outcomeOfError(error) ?? 'unknown';
  if (outcome !== 'usage_limited' && outcome !== 'rate_limited') return { outcome, message: error.message };
  const resetAt = resetOnTheWall(error.message, clock) ?? resetOf(error, clock.now);
  return { outcome, message: error.message, ...(resetAt === undefined ? {} : { resetAt }) };
}

type Retry = Extract<AgentEvent, { readonly type: 'retry' }>;

/** Codex reports its own retries with the same kind of event as a failure. */
export function readRetry(message: string): Retry | undefined {
  const attempt = /^reconnecting\W*(\d+)\/\d+|\bretrying (\d+)\/\d+/i.exec(message);
  if (attempt === null && !/^reconnecting\b/i.test(message)) return undefined;
  const number = attempt?.[1] ?? attempt?.[2];
  const why = /\((.+)\)\s*$/s.exec(message)?.[1] ?? message;
  return { type: 'retry', why, ...(number === undefined ? {} : { attempt: Number(number) }) };
}
