import type { AgentOutcome } from '../../protocol/index.ts';

const outcomes: Readonly<Record<number, AgentOutcome>> = {
  401: 'auth',
  402: 'billing',
  403: 'auth',
  408: 'transient',
  409: 'transient',
  413: 'context_overflow',
  429: 'rate_limited',
  529: 'rate_limited',
};

/** The outcome of a provider's answer when its status is all that is known. */
export function outcomeOfStatus(status: number | undefined): AgentOutcome | undefined {
  if (status === undefined || status < 400) return undefined;
  return outcomes[status] ?? (status >= 500 ? 'transient' : 'configuration');
}
