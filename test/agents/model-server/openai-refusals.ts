import { newId } from './protocol.ts';
import { type Refusal, type Refused, resetInSeconds, resetSecond } from './reply.ts';

// Both OpenAI APIs refuse in the same format. The header in milliseconds is for clients that wait for minutes when no
// delay is given.
const soon = { 'retry-after': '1', 'retry-after-ms': '50' };

/** A refusal as OpenAI and compatible providers send it. */
export function refuseAsOpenAi(refusal: Refusal): Refused {
  switch (refusal) {
    case 'auth':
      return refused(401, { type: 'invalid_request_error', code: 'invalid_api_key' }, 'Incorrect API key provided.');
    case 'rate_limit':
      return refused(429, { type: 'tokens', code: 'rate_limit_exceeded' }, 'Rate limit reached for this model.', soon);
    case 'long_limit':
      return refused(429, { type: 'tokens', code: 'rate_limit_exceeded' }, 'Rate limit reached for this model.', {
        'retry-after': String(resetInSeconds),
      });
    case 'daily_quota':
    case 'usage_limit':
      return refused(429, planLimit(), 'The usage limit has been reached', soon);
    case 'context':
      return refused(
        400,
        { type: 'invalid_request_error', code: 'context_length_exceeded' },
        'Your input exceeds the context window of this model.',
      );
    case 'server':
      return refused(500, { type: 'server_error', code: null }, 'The server had an error.', soon);
  }
}

/** The limit of a plan, with the end of its window. */
function planLimit() {
  return {
    type: 'usage_limit_reached',
    code: null,
    plan_type: 'plus',
    resets_at: resetSecond(),
    resets_in_seconds: resetInSeconds,
  };
}

function refused(
  status: number,
  error: Readonly<Record<string, unknown>>,
  message: string,
  headers: Record<string, string> = {},
): Refused {
  return {
    status,
    headers: { 'x-request-id': newId('req'), ...headers },
    body: { error: { message, param: null, ...error } },
  };
}
