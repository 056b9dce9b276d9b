import type { Expectations } from '../recording.ts';

const once = { inputTokens: 1200, outputTokens: 42, cacheReadTokens: 300, cacheWriteTokens: 0 };
const twice = { inputTokens: 2400, outputTokens: 84, cacheReadTokens: 600, cacheWriteTokens: 0 };
const thrice = { inputTokens: 3600, outputTokens: 126, cacheReadTokens: 900, cacheWriteTokens: 0 };
const claim = 'All tasks are finished.\n\n<promise>DONE</promise>';
/** The reader skips blank lines of plain text. */
const plainClaim = 'All tasks are finished.\n<promise>DONE</promise>';
const unfinished = 'I made some progress but more work remains.';
const sessionId = '01a1e171-9f96-7630-8b8f-38232ba4491e';

/** What every recording of Codex calls for. */
export const codexExpectations: Expectations = {
  '0.166.0': {
    'bad-flag': 'configuration',
    // The command ended, and left something behind that is no task of Codex.
    'bg-child': { outcome: 'completed', lastMessage: claim, usage: twice, backgroundLeft: 0 },
    big: { outcome: 'completed', usage: { ...once, inputTokens: 150_000, outputTokens: 900, cacheReadTokens: 20_000 } },
    'big-tool': {
      outcome: 'completed',
      usage: { ...once, inputTokens: 151_000, outputTokens: 1800, cacheReadTokens: 195_000 },
    },
    'dash-prompt': 'configuration',
    e400: 'configuration',
    e401: { outcome: 'auth', retries: 1, usage: undefined },
    'e401-text': 'auth',
    e404: { outcome: 'configuration', resetAt: undefined },
    e429: { outcome: 'rate_limited', retries: 1, resetAt: undefined },
    // Killed while it waited an hour in silence: it had said why.
    'e429-long': { outcome: 'rate_limited', retries: 1 },
    e500: 'transient',
    'e500-defaults': { outcome: 'transient', retries: 5 },
    e503: 'transient',
    'e529-once': { outcome: 'completed', lastMessage: claim, retries: 0 },
    empty: { outcome: 'completed', lastMessage: '', usage: once },
    ephemeral: 'completed',
    garbage: 'transient',
    hang: { outcome: 'interrupted', usage: undefined, lastMessage: '' },
    'hang-900': 'interrupted',
    'hang-mid': 'transient',
    huge: {
      outcome: 'completed',
      usage: { ...once, inputTokens: 260_000, outputTokens: 900, cacheReadTokens: 20_000 },
    },
    'json-arg': {
      outcome: 'completed',
      lastMessage: claim,
      usage: once,
      model: undefined,
      costUsd: undefined,
      context: {},
      sessionId: '01a1e16e-c2bf-7dc2-a0d3-1fa9c7c4aee2',
    },
    'json-last-message': { outcome: 'completed', lastMessage: claim },
    'large-stdin': { outcome: 'completed', lastMessage: plainClaim },
    'limit-warning': { outcome: 'completed', resetAt: undefined },
    malformed: 'transient',
    'max-tokens': { outcome: 'output_limit', lastMessage: 'This answer was cut off in the mid' },
    'no-git': 'configuration',
    // Killed while it waited for the network without end.
    'no-server': { outcome: 'transient', retries: 3 },
    'session-1': { outcome: 'completed', sessionId, usage: once },
    // The sums are those of the whole thread.
    'session-last': { outcome: 'completed', sessionId, usage: thrice },
    'session-resume': { outcome: 'completed', sessionId, usage: twice },
    'setsid-child': 'completed',
    'shell-fail': { outcome: 'completed', lastMessage: claim },
    'shell-workspace': 'completed',
    'shell-yolo': { outcome: 'completed', permissionDenials: 0 },
    'sighup-hang': 'interrupted',
    // It takes this signal itself, and ends with 1 and without a word.
    'sigint-hang': 'interrupted',
    'sigint-tool': 'interrupted',
    'sigkill-hang': 'interrupted',
    'sigkill-tool': 'interrupted',
    'sigkill-tool-group': 'interrupted',
    'sigterm-tool': 'interrupted',
    'sigterm-tool-group': 'interrupted',
    'stdin-open': { outcome: 'interrupted', sessionId: undefined },
    'stop-hook-many': { outcome: 'completed', lastMessage: unfinished },
    'stop-hook-project': { outcome: 'completed', lastMessage: claim, usage: thrice },
    'stop-hook-untrusted': { outcome: 'completed', lastMessage: 'Progress note 1; not finished yet.' },
    'stop-hook-user': { outcome: 'completed', lastMessage: claim },
    'stream-overloaded': 'rate_limited',
    'text-arg': { outcome: 'completed', lastMessage: plainClaim, usage: undefined },
    'text-stdin': { outcome: 'completed', lastMessage: plainClaim },
    'text-stdin-and-arg': { outcome: 'completed', lastMessage: plainClaim },
    'text-stdin-noarg': { outcome: 'completed', lastMessage: plainClaim },
    'usage-limit': { outcome: 'usage_limited', resetAt: '2026-11-15T23:59:00.000Z' },
    // Only the error channel tells that the patch was rejected.
    'write-readonly-default': { outcome: 'completed', permissionDenials: 1 },
    'write-workspace': { outcome: 'completed', permissionDenials: 0 },
    'write-yolo-nonroot': { outcome: 'completed', lastMessage: 'Created the file.\n\n<promise>DONE</promise>' },
  },
};
