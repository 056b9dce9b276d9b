import type { AgentOutcome } from '../../protocol/index.ts';
import type { RunResult } from '../_shared/account.ts';
import { outcomeOfError } from '../_shared/error-outcome.ts';
import { asCount, asText, type Json, known } from '../_shared/json.ts';
import { readProviderError } from '../_shared/provider-error.ts';

const ofErrorType = new Map<string, AgentOutcome>([
  ['authentication', 'auth'],
  ['authorization', 'auth'],
  ['quota', 'usage_limited'],
  ['rate_limit', 'rate_limited'],
  ['context_limit', 'context_overflow'],
]);

/** The outcome of one request that the provider did not answer. */
export function readFailure(data: Json): RunResult {
  const error = readProviderError(asText(data['errorMessage']) ?? '');
  const codes = [data['errorCode'], data['errorType']].flatMap((code) => asText(code) ?? []);
  const status = asCount(data['statusCode']) ?? error.status;
  const outcome = outcomeOfError({ ...error, codes: [...codes, ...error.codes], ...known({ status }) });
  return {
    outcome: outcome ?? (data['failureKind'] === 'transport' ? 'transient' : 'unknown'),
    message: error.message,
    ...known({ resetAt: error.resetAt }),
  };
}

/** The outcome of the error that ended the session; the request that failed before it is often more specific. */
export function readSessionError(data: Json, failure: RunResult | undefined): RunResult {
  const message = asText(data['message']) ?? '';
  if (failure !== undefined && failure.outcome !== 'unknown') return { outcome: failure.outcome, message };
  const status = asCount(data['statusCode']);
  const outcome =
    ofErrorType.get(asText(data['errorType']) ?? '') ?? outcomeOfError({ message, codes: [], ...known({ status }) });
  return { outcome: outcome ?? 'unknown', message };
}
