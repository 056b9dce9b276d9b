import type { Expectations } from '../recording.ts';

const claim = 'All tasks are finished.\n\n<promise>DONE</promise>';
const written = 'Created the file.\n\n<promise>DONE</promise>';
/** The tokens of the `big` scenario; each agent counts them in its own way. */
const big = { inputTokens: 150_000, outputTokens: 900, cacheReadTokens: 20_000 };
/** Two requests of the `write` scenario. */
const twice = { inputTokens: 2_400, outputTokens: 84, cacheReadTokens: 600 };

/** What every recording of an agent that speaks the Agent Client Protocol calls for. */
export const acpExpectations: Expectations = {
  claude: {
    big: {
      outcome: 'completed',
      lastMessage: claim,
      usage: { ...big, cacheWriteTokens: 5_000 },
      costUsd: 0.81375,
      context: { used: 175_900, size: 1_000_000 },
      // "default" is no model.
      model: undefined,
    },
    cancel: { outcome: 'interrupted', usage: undefined, costUsd: 0.00782, permissionDenials: 0 },
    e401: 'auth',
    // With an API key Claude tells neither that it is the plan's limit nor when it is over.
    'usage-limit': { outcome: 'rate_limited', resetAt: undefined },
    write: {
      outcome: 'completed',
      sessionId: 'c7a8fa81-91c5-4fdd-8113-d5ac57eb6123',
      lastMessage: written,
      usage: { ...twice, cacheWriteTokens: 200 },
      costUsd: 0.01565,
      permissionDenials: 0,
    },
  },
  codex: {
    big: {
      outcome: 'completed',
      lastMessage: claim,
      usage: { ...big, cacheWriteTokens: 0 },
      costUsd: undefined,
      context: { used: 170_900, size: 258_400 },
      model: 'gpt-5.5',
    },
    cancel: 'interrupted',
    e401: 'auth',
    'usage-limit': { outcome: 'usage_limited', resetAt: '2026-11-15T23:54:00.000Z' },
    write: {
      outcome: 'completed',
      sessionId: '01a1e16a-a3fb-7c33-a818-36f86a043425',
      lastMessage: written,
      usage: { ...twice, cacheWriteTokens: 0 },
    },
  },
  copilot: {
    // Its input holds what came from the cache.
    big: {
      outcome: 'completed',
      lastMessage: claim,
      usage: { ...big, cacheWriteTokens: 0 },
      costUsd: undefined,
      context: { used: 9_471, size: 922_000 },
      model: undefined,
    },
    cancel: 'interrupted',
    // The turn ends well, and only words that stand where the assistant's do say that the provider refused: they might
    // as well be the assistant's. That the turn has no tokens is all there is to see.
    e401: { outcome: 'completed', usage: undefined, retries: 0 },
    // It tried again and again without a word, until it was killed.
    'usage-limit': { outcome: 'interrupted', resetAt: undefined },
    write: {
      outcome: 'completed',
      sessionId: 'ebe812ae-b54a-4fbd-9d96-501950ba8013',
      lastMessage: written,
      usage: { ...twice, cacheWriteTokens: 0 },
      permissionDenials: 0,
    },
  },
  gemini: {
    // It does not tell how much of the input came from the cache.
    big: {
      outcome: 'completed',
      lastMessage: claim,
      usage: { inputTokens: 170_000, outputTokens: 900 },
      costUsd: undefined,
      context: {},
      model: 'gemini-2.5-pro',
    },
    cancel: { outcome: 'interrupted', usage: undefined },
    // The provider answers 400 to a wrong key.
    e401: 'auth',
    'usage-limit': { outcome: 'usage_limited', resetAt: undefined },
    write: {
      outcome: 'completed',
      sessionId: '467bdc19-74b5-4aa4-977a-8bd8a7804b8c',
      lastMessage: written,
      usage: { inputTokens: 3_000, outputTokens: 84 },
      permissionDenials: 0,
    },
  },
  opencode: {
    // Its output lacks the thoughts; its provider has no prices.
    big: {
      outcome: 'completed',
      lastMessage: claim,
      usage: big,
      costUsd: 0,
      context: { used: 170_000, size: 200_000 },
      model: 'stub/stub-model',
    },
    cancel: { outcome: 'interrupted', usage: undefined },
    e401: 'auth',
    // It tried again and again without a word, until it was killed.
    'usage-limit': { outcome: 'interrupted', resetAt: undefined },
    // Two requests, of which it counts only the last.
    write: {
      outcome: 'completed',
      sessionId: 'ses_e1e952f0dffeGqQOyQ6IYBJL1L',
      lastMessage: written,
      usage: undefined,
    },
  },
};
