import type { Expectations } from '../recording.ts';

const once = { inputTokens: 1200, outputTokens: 42, cacheReadTokens: 300 };
const twice = { inputTokens: 2400, outputTokens: 84, cacheReadTokens: 600 };
const thrice = { inputTokens: 3600, outputTokens: 126, cacheReadTokens: 900 };
const claim = 'All tasks are finished.\n\n<promise>DONE</promise>';
/** The reader skips blank lines of plain text. */
const plainClaim = 'All tasks are finished.\n<promise>DONE</promise>';
const written = 'Created the file.\n\n<promise>DONE</promise>';
const sessionId = '11111111-2222-4333-8444-555555555555';
const model = 'gemini-2.5-pro';

/** What every recording of Gemini CLI calls for. */
export const geminiExpectations: Expectations = {
  '0.61.0': {
    // Twice a hook sent it back to work; each answer is a message of its own.
    'after-agent-hook': { outcome: 'completed', lastMessage: claim, usage: thrice },
    'bad-flag': 'configuration',
    'bg-child': { outcome: 'completed', lastMessage: claim, usage: twice, backgroundLeft: 0 },
    big: {
      outcome: 'completed',
      usage: { inputTokens: 150_000, outputTokens: 900, cacheReadTokens: 20_000 },
      context: {},
      costUsd: undefined,
    },
    'big-json': {
      outcome: 'completed',
      lastMessage: claim,
      model,
      usage: { inputTokens: 151_000, outputTokens: 1800, cacheReadTokens: 195_000 },
    },
    'dash-prompt': 'configuration',
    e400: 'configuration',
    // The provider answers 400 to a bad key.
    e401: { outcome: 'auth', usage: undefined },
    'e401-json': 'auth',
    'e401-text': 'auth',
    e404: 'configuration',
    e429: { outcome: 'rate_limited', resetAt: '2026-11-15T22:30:10.417Z' },
    'e429-long': { outcome: 'rate_limited', resetAt: '2026-11-15T23:30:24.781Z' },
    'e429-once': { outcome: 'completed', lastMessage: claim, resetAt: undefined },
    // A 503 whose sentence says that the model is overloaded.
    e529: { outcome: 'rate_limited', resetAt: undefined },
    garbage: 'transient',
    hang: { outcome: 'interrupted', model },
    'json-arg': {
      outcome: 'completed',
      lastMessage: claim,
      usage: once,
      sessionId: '1edbeab8-da09-4b1f-ad11-c6eb28bfbda3',
    },
    'large-stdin': { outcome: 'completed', lastMessage: plainClaim },
    malformed: { outcome: 'transient', usage: undefined },
    // Nothing in the stream tells an answer that was cut off, or refused, from a good one.
    'max-tokens': { outcome: 'completed', lastMessage: 'This answer was cut off in the mid' },
    'max-turns-json': 'turn_limit',
    'no-server': 'transient',
    refusal: 'completed',
    'session-1': { outcome: 'completed', sessionId, usage: once },
    'session-latest': { outcome: 'completed', sessionId, usage: once },
    'session-missing': 'configuration',
    // Unlike others, it counts only this run.
    'session-resume': { outcome: 'completed', sessionId, usage: once },
    'shell-fail': 'completed',
    'shell-yolo': { outcome: 'completed', permissionDenials: 0 },
    'sighup-hang': 'interrupted',
    'sigint-hang': 'interrupted',
    // It takes the signal itself, and ends with 0 and without a result.
    'sigint-hang-group': 'interrupted',
    'sigint-hang-norelaunch': 'interrupted',
    'sigint-tool': 'interrupted',
    'sigint-tool-norelaunch': 'interrupted',
    'sigkill-hang': 'interrupted',
    'sigkill-hang-norelaunch': 'interrupted',
    'sigkill-tool': 'interrupted',
    'sigkill-tool-group': 'interrupted',
    'sigterm-hang': 'interrupted',
    'sigterm-tool': 'interrupted',
    'sigterm-tool-group': 'interrupted',
    'sigterm-tool-norelaunch': 'interrupted',
    'stdin-open': 'completed',
    // One model chose the other.
    'stream-auto-model': { outcome: 'completed', model: 'gemini-3.8-flash', usage: twice },
    // The provider said "overloaded" within the stream, but Gemini CLI only knows that the stream broke.
    'stream-overloaded': 'transient',
    'stream-text': { outcome: 'completed', lastMessage: claim, usage: once, model },
    'text-arg': { outcome: 'completed', lastMessage: plainClaim, usage: undefined },
    'text-norelaunch': { outcome: 'completed', lastMessage: claim },
    'text-positional': { outcome: 'completed', lastMessage: plainClaim },
    'text-stdin': { outcome: 'completed', lastMessage: plainClaim },
    'text-stdin-and-arg': { outcome: 'completed', lastMessage: plainClaim },
    truncated: 'transient',
    'write-autoedit': { outcome: 'completed', lastMessage: written },
    // Without permission the tools are not even offered to the model.
    'write-default': { outcome: 'completed', permissionDenials: 0, lastMessage: 'stub side answer' },
    'write-yolo-nonroot': { outcome: 'completed', lastMessage: written, usage: twice },
  },
};
