import type { Expectations } from '../recording.ts';

const once = { inputTokens: 1200, outputTokens: 42, cacheReadTokens: 300, cacheWriteTokens: 0 };
const twice = { inputTokens: 2400, outputTokens: 84, cacheReadTokens: 600, cacheWriteTokens: 0 };
const claim = 'All tasks are finished.\n\n<promise>DONE</promise>';
/** The reader skips blank lines of plain text. */
const plainClaim = 'All tasks are finished.\n<promise>DONE</promise>';
const written = 'Created the file.\n\n<promise>DONE</promise>';
const sessionId = 'ses_e1e9770b2ffe5qPq8s3VXEBmTX';

/** What every recording of OpenCode calls for. */
export const openCodeExpectations: Expectations = {
  '1.18.33': {
    'bad-flag': 'configuration',
    'bad-model': 'configuration',
    'bg-child': { outcome: 'completed', lastMessage: claim, usage: twice },
    'big-tool': {
      outcome: 'completed',
      usage: { inputTokens: 151_000, outputTokens: 1800, cacheReadTokens: 195_000, cacheWriteTokens: 0 },
      context: { used: 176_000 },
    },
    'dash-prompt': 'configuration',
    e400: 'configuration',
    e401: { outcome: 'auth', usage: undefined, costUsd: undefined },
    'e401-text': 'auth',
    e404: 'configuration',
    e429: { outcome: 'rate_limited', resetAt: '2026-11-15T22:42:59.452Z' },
    // It waits in silence; only its log tells what for.
    'e429-long': { outcome: 'interrupted', sessionId: undefined },
    'e429-long-printlogs': { outcome: 'rate_limited', resetAt: '2026-11-16T00:11:16.834Z' },
    'e429-once': { outcome: 'completed', lastMessage: claim, resetAt: undefined },
    e500: 'interrupted',
    e529: 'interrupted',
    'e529-once': 'completed',
    'e529-printlogs': 'rate_limited',
    empty: { outcome: 'completed', lastMessage: '', usage: once },
    // A page of HTML in place of an answer: it asks again and again, at once and without end.
    garbage: 'interrupted',
    'garbage-long': 'interrupted',
    hang: 'interrupted',
    'hang-timeout': 'transient',
    // More tokens than fit: it compacts without end, each time after an answer that looked like the last.
    huge: 'interrupted',
    'json-anthropic': {
      outcome: 'completed',
      lastMessage: written,
      usage: { ...twice, cacheWriteTokens: 200 },
      context: { used: 1600 },
      costUsd: 0.00939,
    },
    'json-arg': {
      outcome: 'completed',
      lastMessage: claim,
      usage: once,
      costUsd: 0.00432,
      context: { used: 1500 },
      model: undefined,
      sessionId: 'ses_e1ea3212dffetrlCfvMrg6hALB',
    },
    'large-stdin': { outcome: 'completed', lastMessage: plainClaim },
    // The request was made four times, but the stream does not tell why.
    malformed: { outcome: 'interrupted', retries: 3 },
    'max-steps': 'interrupted',
    'max-tokens': { outcome: 'output_limit', lastMessage: 'This answer was cut off in the mid' },
    'no-server': 'interrupted',
    'no-server-long': 'transient',
    quota: 'interrupted',
    reset: 'interrupted',
    'session-1': { outcome: 'completed', sessionId, usage: once, costUsd: 0.00432 },
    'session-continue': { outcome: 'completed', sessionId, usage: once, costUsd: 0.00432 },
    'session-missing': 'configuration',
    'session-resume': { outcome: 'completed', sessionId, usage: once, costUsd: 0.00432 },
    shell: 'completed',
    'shell-fail': { outcome: 'completed', lastMessage: claim },
    'sighup-hang': 'interrupted',
    'sigint-hang': 'interrupted',
    'sigint-tool': 'interrupted',
    'sigkill-hang': 'interrupted',
    'sigkill-tool': 'interrupted',
    'sigkill-tool-group': 'interrupted',
    'sigterm-tool': 'interrupted',
    'sigterm-tool-group': 'interrupted',
    'stdin-open': 'interrupted',
    'stream-overloaded': { outcome: 'interrupted', retries: 3 },
    'text-arg': { outcome: 'completed', lastMessage: plainClaim },
    'text-stdin': { outcome: 'completed', lastMessage: plainClaim },
    'text-stdin-and-arg': { outcome: 'completed', lastMessage: plainClaim },
    truncated: { outcome: 'interrupted', retries: 2 },
    'usage-limit': 'interrupted',
    // The tool was rejected and the run just stopped, with 0: nobody said that the work is done.
    'write-ask': { outcome: 'unknown', permissionDenials: 1 },
    'write-ask-auto': { outcome: 'completed', permissionDenials: 0 },
    'write-auto-nonroot': { outcome: 'completed', lastMessage: written, usage: twice },
    'write-default': { outcome: 'completed', lastMessage: written },
    // Without the tool to edit, it wrote the file by a command.
    'write-deny': { outcome: 'completed', permissionDenials: 0 },
  },
};
