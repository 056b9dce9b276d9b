import type { AgentOutcome } from '../../protocol/index.ts';
import { outcomeOfStatus } from '../_shared/http-outcome.ts';
import { asCount, asList, asText, type Json } from '../_shared/json.ts';

/** What the stream reported about a failed request before the result. */
export interface Trouble {
  /** A plan's limit was hit, which the result alone does not always distinguish from a rate limit. */
  readonly planLimit?: boolean;
  readonly refused?: boolean;
  /** The stream's own code for the failure. */
  readonly kind?: string;
}

const ofTerminalReason = new Map<string, AgentOutcome>([
  ['max_turns', 'turn_limit'],
  ['budget_exhausted', 'budget_limit'],
  ['prompt_too_long', 'context_overflow'],
  ['blocking_limit', 'context_overflow'],
  ['aborted_tools', 'interrupted'],
  ['aborted_streaming', 'interrupted'],
]);

const ofSubtype = new Map<string, AgentOutcome>([
  ['error_max_turns', 'turn_limit'],
  ['error_max_budget_usd', 'budget_limit'],
]);

const ofStopReason = new Map<string, AgentOutcome>([
  ['refusal', 'refused'],
  ['max_tokens', 'output_limit'],
  ['model_context_window_exceeded', 'context_overflow'],
]);

const ofKind = new Map<string, AgentOutcome>([
  ['usage_limit_reached', 'usage_limited'],
  ['max_output_tokens', 'output_limit'],
  ['connection_failed', 'transient'],
  ['authentication_failed', 'auth'],
  ['authentication_error', 'auth'],
  ['oauth_org_not_allowed', 'auth'],
  ['permission_error', 'auth'],
  ['billing_error', 'billing'],
  ['model_not_found', 'configuration'],
  ['not_found_error', 'configuration'],
  ['request_too_large', 'context_overflow'],
  ['overloaded', 'rate_limited'],
  ['overloaded_error', 'rate_limited'],
  ['timeout_error', 'transient'],
]);

const moreSpecific: Readonly<Record<number, readonly AgentOutcome[]>> = {
  400: ['billing', 'context_overflow', 'refused'],
  429: ['billing', 'usage_limited'],
};

/** Claude Code's own messages, for where no field is more specific. */
const patterns: readonly (readonly [RegExp, AgentOutcome])[] = [
  [/reached max(?:imum number of)? turns/i, 'turn_limit'],
  [/(?:maximum|exceeded usd) budget/i, 'budget_limit'],
  [/no conversation found|already in use|issue with the selected model/i, 'configuration'],
  [/prompt is too long|context (?:window|limit)/i, 'context_overflow'],
  [/output token maximum/i, 'output_limit'],
  [/credit balance/i, 'billing'],
  [/usage policy|unable to respond to this request/i, 'refused'],
  [/hit your\b.*\blimit|(?:usage|session|hour|weekly|opus|sonnet) limit (?:was )?reached/i, 'usage_limited'],
  [/\(429\)|\b429\b|rate limit|\b529\b|overloaded/i, 'rate_limited'],
  [/not logged in|run \/login|invalid api key|oauth token|\b40[13]\b/i, 'auth'],
  [/request was aborted|interrupted by user/i, 'interrupted'],
  [/connection|timed out|stream idle|malformed response|E(?:CONN|TIMEDOUT|PIPE)|API Error: 5\d\d/i, 'transient'],
];

/** The outcome that one of Claude Code's error messages stands for. */
export function outcomeOfMessage(message: string): AgentOutcome | undefined {
  return patterns.find(([pattern]) => pattern.test(message))?.[1];
}

/** The outcome of a failed request: the stream's own codes first, then the status, then the message for people. */
export function outcomeOfFailure(fields: Json, trouble: Trouble): AgentOutcome | undefined {
  const message = messageOf(fields);
  const reported = [fields['api_error'], trouble.kind, fields['error'], fields['api_error_type']].map(asText);
  const status = asCount(fields['api_error_status']) ?? asCount(fields['error_status']);
  if (trouble.refused) return 'refused';
  for (const kind of reported) {
    const outcome = ofKind.get(kind ?? '');
    if (outcome !== undefined) return outcome;
  }
  if (trouble.planLimit && (status === 429 || reported.includes('rate_limit'))) return 'usage_limited';
  const worded = outcomeOfMessage(message);
  if (reported.includes('rate_limit')) return worded === 'usage_limited' ? worded : 'rate_limited';
  if (status === undefined) return worded ?? (reported.includes('server_error') ? 'transient' : undefined);
  // A provider answers 400 and 429 to very different failures, which only its message distinguishes.
  const isMoreSpecific = worded !== undefined && moreSpecific[status]?.includes(worded);
  return isMoreSpecific ? worded : outcomeOfStatus(status);
}

/** The outcome of the agent's result. Its `subtype` is "success" for every error of the provider. */
export function outcomeOfResult(result: Json, trouble: Trouble): AgentOutcome {
  const ends = [
    ofSubtype.get(asText(result['subtype']) ?? ''),
    ofTerminalReason.get(asText(result['terminal_reason']) ?? ''),
    ofStopReason.get(asText(result['stop_reason']) ?? ''),
  ];
  const end = ends.find((outcome) => outcome !== undefined);
  if (end !== undefined) return end;
  if (result['is_error'] !== true && result['subtype'] === 'success') return 'completed';
  const failure = outcomeOfFailure(result, trouble);
  if (failure !== undefined) return failure;
  return result['terminal_reason'] === 'api_error' ? 'transient' : 'unknown';
}

/** The message for people that comes with an error. */
export function messageOf(fields: Json): string {
  return (
    asText(fields['result']) ??
    asList(fields['errors'])
      .flatMap((error) => asText(error) ?? [])
      .join('\n')
  );
}
