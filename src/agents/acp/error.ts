import type { AgentOutcome } from '../../protocol/index.ts';
import { outcomeOfError } from '../_shared/error-outcome.ts';
import { asCount, asObject, asText, type Json, known } from '../_shared/json.ts';
import { openCodeErrorNames } from '../_shared/opencode-error-names.ts';
import { readProviderError, resetOf } from '../_shared/provider-error.ts';
import type { ReadError } from '../_shared/read-error.ts';
import { resetInNamedZone, resetOnTheWall, type WallClock } from '../_shared/reset-words.ts';

/** The agents' own error codes that are unambiguous; each agent has its own field for them. */
const ofKind: ReadonlyMap<string, AgentOutcome> = new Map(
  Object.entries<AgentOutcome>({
    // Claude: `errorKind`
    authentication_failed: 'auth',
    oauth_org_not_allowed: 'auth',
    billing_error: 'billing',
    max_output_tokens: 'output_limit',
    model_not_found: 'configuration',
    overloaded: 'rate_limited',
    // Codex: `codexErrorInfo`
    usageLimitExceeded: 'usage_limited',
    contextWindowExceeded: 'context_overflow',
    serverOverloaded: 'rate_limited',
    unauthorized: 'auth',
    cyberPolicy: 'refused',
    // OpenCode: `errorName`
    ...openCodeErrorNames,
  }),
);

/** Codes that mean no more than an HTTP status would: the accompanying message may be more specific. */
const statusOfKind: ReadonlyMap<string, number> = new Map(
  Object.entries({
    rate_limit: 429,
    invalid_request: 400,
    server_error: 500,
    badRequest: 400,
    internalServerError: 500,
    httpConnectionFailed: 503,
    responseStreamConnectionFailed: 503,
    responseStreamDisconnected: 503,
    responseTooManyFailedAttempts: 503,
  }),
);

/** The codes of JSON-RPC and of the protocol itself. */
const ofCode: ReadonlyMap<number, AgentOutcome> = new Map([
  [-32_000, 'auth'],
  [-32_002, 'configuration'],
  [-32_600, 'configuration'],
  [-32_601, 'configuration'],
  [-32_602, 'configuration'],
  [-32_800, 'interrupted'],
]);

/** Reads the `error` of an answer: the agent's own classification first, then the provider's, then the code. */
export function readAcpError(error: Json, clock: WallClock): ReadError {
  const code = typeof error['code'] === 'number' ? error['code'] : 0;
  const data = asObject(error['data']) ?? {};
  const reported = readProviderError(messageOf(error, data));
  const kinds = kindsOf(data);
  const status = httpStatusOf(data) ?? statusIn(code) ?? reported.status ?? statusOfKinds(kinds);
  const outcome =
    firstOf(kinds) ??
    ofSentence(reported.message) ??
    outcomeOfError({ ...reported, ...known({ status }) }) ??
    ofCode.get(code);
  const message = reported.message === '' ? (asText(error['message']) ?? '') : reported.message;
  if (outcome !== 'usage_limited' && outcome !== 'rate_limited') return { outcome: outcome ?? 'unknown', message };
  const resetAt =
    resetOnTheWall(message, clock) ?? resetInNamedZone(message, clock.now) ?? resetOf(reported, clock.now);
  return { outcome, message, ...known({ resetAt }) };
}

/** JSON-RPC's own "Internal error" means nothing; what follows it, or is in the data, does. */
function messageOf(error: Json, data: Json): string {
  const message = (asText(error['message']) ?? '').replace(/^internal error(?:: )?/i, '');
  return asText(message) ?? asText(data['message']) ?? asText(data['details']) ?? asText(error['data']) ?? '';
}

function kindsOf(data: Json): readonly string[] {
  const info = data['codexErrorInfo'];
  const kinds = [data['errorKind'], info, data['errorName'], ...Object.keys(asObject(info) ?? {})];
  return kinds.flatMap((kind) => asText(kind) ?? []);
}

/** Codex puts the status inside its error code. */
function httpStatusOf(data: Json): number | undefined {
  const details = Object.values(asObject(data['codexErrorInfo']) ?? {});
  return details.flatMap((detail) => asCount(asObject(detail)?.['httpStatusCode']) ?? [])[0];
}

/** Gemini answers with the provider's status as the code. */
function statusIn(code: number): number | undefined {
  return code >= 400 && code < 600 ? code : undefined;
}

function statusOfKinds(kinds: readonly string[]): number | undefined {
  return kinds.flatMap((kind) => statusOfKind.get(kind) ?? [])[0];
}

function firstOf(kinds: readonly string[]): AgentOutcome | undefined {
  return kinds.flatMap((kind) => ofKind.get(kind) ?? [])[0];
}

/** A plan's limit, in Claude's words: its `errorKind` calls every limit the same. */
function ofSentence(message: string): AgentOutcome | undefined {
  return /\bhit your\b.*\blimit\b/i.test(message) ? 'usage_limited' : undefined;
}
