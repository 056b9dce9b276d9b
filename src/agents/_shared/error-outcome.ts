import type { AgentOutcome } from '../../protocol/index.ts';
import { outcomeOfStatus } from './http-outcome.ts';
import type { ProviderError } from './provider-error.ts';

const ofCode: ReadonlyMap<string, AgentOutcome> = new Map(
  Object.entries<AgentOutcome>({
    context_length_exceeded: 'context_overflow',
    max_output_tokens: 'output_limit',
    insufficient_quota: 'billing',
    insufficient_g1_credits_balance: 'billing',
    billing_error: 'billing',
    billing_not_active: 'billing',
    usage_not_included: 'billing',
    usage_limit_reached: 'usage_limited',
    quota_exhausted: 'usage_limited',
    rate_limit_error: 'rate_limited',
    rate_limit_exceeded: 'rate_limited',
    resource_exhausted: 'rate_limited',
    too_many_requests: 'rate_limited',
    overloaded_error: 'rate_limited',
    server_is_overloaded: 'rate_limited',
    slow_down: 'rate_limited',
    invalid_api_key: 'auth',
    api_key_invalid: 'auth',
    authentication_error: 'auth',
    permission_error: 'auth',
    permission_denied: 'auth',
    unauthenticated: 'auth',
    model_not_found: 'configuration',
    not_found: 'configuration',
    content_filter: 'refused',
    content_policy_violation: 'refused',
    cyber_policy: 'refused',
  }),
);

type Patterns = readonly (readonly [RegExp, AgentOutcome])[];

const tooLong = new RegExp(
  [
    'prompt is too long',
    'input is too long',
    'context[ _](?:window|length|size|limit)',
    'token count.*exceeds the maximum',
    'maximum (?:prompt|context) length',
    'reduce the length of the messages',
    'exceeded model token limit',
    'request entity too large',
  ].join('|'),
  'i',
);

/** Messages that are more specific than their status: a provider answers 400, 429 or 503 to different failures. */
const specific: Patterns = [
  [tooLong, 'context_overflow'],
  [/max_output_tokens|output (?:token )?(?:limit|length|maximum)/i, 'output_limit'],
  [/usage limit|daily (?:\S+ )?quota|exhausted your (?:capacity|quota)/i, 'usage_limited'],
  [/billing details|credit balance|out of credits|spend cap|insufficient (?:quota|credits|balance)/i, 'billing'],
  [/upgrade to \w+: http/i, 'billing'],
  [/\brate.?limit|too many requests|resource (?:has been )?exhausted|overloaded|at capacity/i, 'rate_limited'],
  [/api key (?:not valid|expired)|(?:incorrect|invalid) (?:x-)?api.?key/i, 'auth'],
];

/** Messages that count when neither a code nor a status is known. */
const vague: Patterns = [
  [/api.?key|unauthori[sz]ed|forbidden|not logged in|log ?in again|sign in|access token|refresh token/i, 'auth'],
  [/missing environment variable|authenticat(?:e|ion)|permission[ _]denied|not allowed to use/i, 'auth'],
  [/content.?filter|\bsafety\b|\bflagged\b|usage polic|content polic|\brefus(?:al|ed to)\b/i, 'refused'],
  [
    /model\b.*\b(?:not found|does not exist|not supported|not available)|is not found for|unknown model/i,
    'configuration',
  ],
  [/high demand|internal (?:server )?error|service unavailable|bad gateway|gateway time-?out/i, 'transient'],
  [/stream (?:disconnected|closed|ended|error)|incomplete json|without a finish reason|invalid stream/i, 'transient'],
  [/empty (?:text )?response|malformed|unexpected end|terminated|premature|reading the server response/i, 'transient'],
  [/connect|fetch failed|network|socket|timed? ?out|\bE(?:CONN\w+|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN)\b/i, 'transient'],
  [/invalid.?(?:request|argument|prompt)|unsupported|no (?:thread|rollout|session)\b/i, 'configuration'],
];

/** The outcome of a provider's error: its own codes first, then a specific message, then the status. */
export function outcomeOfError({ codes, message, status }: ProviderError): AgentOutcome | undefined {
  if (codes.some((code) => /per_?day|daily/i.test(code))) return 'usage_limited';
  for (const code of codes) {
    const outcome = ofCode.get(code.toLowerCase());
    if (outcome !== undefined) return outcome;
  }
  return match(specific, message) ?? outcomeOfStatus(status) ?? match(vague, message);
}

function match(patterns: Patterns, message: string): AgentOutcome | undefined {
  return patterns.find(([pattern]) => pattern.test(message))?.[1];
}
