import type { Expectations } from '../recording.ts';

const claim = 'All tasks are finished.\n\n<promise>DONE</promise>';
/** The reader skips blank lines of plain text. */
const plainClaim = 'All tasks are finished.\n<promise>DONE</promise>';
const sessionId = '11111111-2222-4333-8444-555555555555';

/** What every recording of Copilot CLI calls for. */
export const copilotExpectations: Expectations = {
  '1.0.102': {
    anthropic: { outcome: 'completed', model: 'claude-sonnet-4', context: { used: 10_591, size: 128_000 } },
    'bg-child': 'completed',
    big: { outcome: 'completed', usage: undefined, costUsd: undefined },
    'dash-prompt': 'configuration',
    e401: { outcome: 'auth', retries: 2 },
    e429: { outcome: 'rate_limited', retries: 5 },
    e500: 'transient',
    // A 503 whose code says that the provider is overloaded.
    e529: 'rate_limited',
    'json-arg': { outcome: 'completed', lastMessage: claim, model: 'gpt-5.4' },
    'large-stdin': { outcome: 'completed', lastMessage: plainClaim },
    'session-1': { outcome: 'completed', sessionId },
    'session-resume': { outcome: 'completed', sessionId },
    'shell-allow': 'completed',
    'sigint-hang': 'interrupted',
    'sigint-tool': 'interrupted',
    'sigkill-hang': 'interrupted',
    'sigkill-tool': { outcome: 'interrupted', sessionId: undefined },
    'sigterm-hang': 'interrupted',
    'sigterm-tool': 'interrupted',
    'stdin-open': 'completed',
    'text-arg': { outcome: 'completed', lastMessage: plainClaim },
    'text-silent': { outcome: 'completed', lastMessage: plainClaim },
    'text-stdin': { outcome: 'completed', lastMessage: plainClaim },
    'too-long': 'context_overflow',
    truncated: { outcome: 'transient', retries: 5 },
    // It was ended while it waited to try again: the limit is why.
    'usage-limit': { outcome: 'usage_limited', resetAt: '2026-11-15T23:41:15.000Z' },
    'write-allow': { outcome: 'completed', permissionDenials: 0 },
    'write-default': {
      outcome: 'completed',
      permissionDenials: 1,
      lastMessage: 'Created the file.\n\n<promise>DONE</promise>',
    },
  },
};
