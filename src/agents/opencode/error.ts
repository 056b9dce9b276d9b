import type { AgentOutcome } from '../../protocol/index.ts';
import { outcomeOfError } from '../_shared/error-outcome.ts';
import { asCount, asObject, asText, type Json, known } from '../_shared/json.ts';
import { openCodeErrorNames } from '../_shared/opencode-error-names.ts';
import { type ProviderError, readHeaders, readProviderError, resetOf } from '../_shared/provider-error.ts';
import type { ReadError } from '../_shared/read-error.ts';

const ofName: ReadonlyMap<string, AgentOutcome> = new Map(
  Object.entries<AgentOutcome>({
    ...openCodeErrorNames,
    ConfigInvalidError: 'configuration',
    ConfigJsonError: 'configuration',
    NotFoundError: 'configuration',
  }),
);

/** Reads the object of an `error` event. */
export function readOpenCodeError(error: Json, reportedAt: Date | undefined): ReadError {
  const data = asObject(error['data']) ?? {};
  const name = asText(error['name']) ?? '';
  const message = asText(data['message']) ?? asText(error['message']) ?? name;
  const answer = answerOf(data, message);
  const headers = asObject(data['responseHeaders']) ?? {};
  const outcome = ofName.get(name) ?? outcomeOfError(answer) ?? 'unknown';
  const isPlan = outcome === 'rate_limited' && headers['anthropic-ratelimit-unified-status'] === 'rejected';
  if (outcome !== 'rate_limited' && outcome !== 'usage_limited') return { outcome, message };
  const resetAt = resetOf(answer, reportedAt);
  return { outcome: isPlan ? 'usage_limited' : outcome, message, ...known({ resetAt }) };
}

/** Reads an error that only has a message. */
export function readOpenCodeMessage(sentence: string, reportedAt: Date | undefined): ReadError {
  const message = sentence.replace(/^(?:\w*Error: )?(?:Failed after \d+ attempts\. Last error: )?/, '');
  return readOpenCodeError({ data: { message } }, reportedAt);
}

/** The provider's answer, which OpenCode passes on in its parts. */
function answerOf(data: Json, message: string): ProviderError {
  const sentence = readProviderError(message);
  const body = readProviderError(asText(data['responseBody']) ?? '');
  const reported = readHeaders(asObject(data['responseHeaders']) ?? {});
  return {
    message,
    codes: body.codes,
    ...known({
      status: asCount(data['statusCode']) ?? sentence.status,
      resetAt: reported.resetAt ?? body.resetAt,
      retryAfterMs: reported.retryAfterMs ?? body.retryAfterMs ?? sentence.retryAfterMs,
    }),
  };
}
