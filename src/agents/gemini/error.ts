import type { AgentOutcome } from '../../protocol/index.ts';
import { outcomeOfError } from '../_shared/error-outcome.ts';
import { readProviderError, resetOf } from '../_shared/provider-error.ts';
import type { ReadError } from '../_shared/read-error.ts';

/** The CLI's own kinds of failure. */
const ofType: ReadonlyMap<string, AgentOutcome> = new Map(
  Object.entries<AgentOutcome>({
    FatalTurnLimitedError: 'turn_limit',
    FatalAuthenticationError: 'auth',
    ValidationRequiredError: 'auth',
    UnauthorizedError: 'auth',
    ForbiddenError: 'auth',
    FatalInputError: 'configuration',
    FatalSandboxError: 'configuration',
    FatalConfigError: 'configuration',
    FatalUntrustedWorkspaceError: 'configuration',
    ModelNotFoundError: 'configuration',
    FatalCancellationError: 'interrupted',
    CanceledError: 'interrupted',
    AbortError: 'interrupted',
    INVALID_STREAM: 'transient',
  }),
);

/** Reads an error as the stream or the error channel gives it. */
export function readGeminiError(type: string | undefined, text: string, reportedAt: Date | undefined): ReadError {
  const error = readProviderError(text);
  const outcome = ofType.get(type ?? '') ?? ofSentence(error.message) ?? outcomeOfError(error) ?? 'unknown';
  const message = error.message.replace(/^\[API Error: ([\s\S]*?)\]\s*/, '$1\n').trim();
  const isLimit = outcome === 'rate_limited' || outcome === 'usage_limited';
  const resetAt = isLimit ? resetOf(error, reportedAt) : undefined;
  return { outcome, message, ...(resetAt === undefined ? {} : { resetAt }) };
}

/** Its own messages. Google mentions billing for every quota, even for those that reset within a minute. */
const patterns: readonly (readonly [RegExp, AgentOutcome])[] = [
  [/max(?:imum)? session turns/i, 'turn_limit'],
  [/operation cancelled|user aborted/i, 'interrupted'],
  [/empty (?:text )?response|without a finish reason|invalid stream/i, 'transient'],
  [/exceeded your current quota(?![\s\S]*\bretry (?:in|after)\b)|daily (?:\S+ )?quota/i, 'usage_limited'],
  [/exceeded your current quota|to increase your limits|possible quota limitations/i, 'rate_limited'],
  [/set an auth method/i, 'auth'],
];

function ofSentence(message: string): AgentOutcome | undefined {
  return patterns.find(([pattern]) => pattern.test(message))?.[1];
}
