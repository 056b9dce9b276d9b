import { expect, test } from 'vitest';
import { type AgentReading, createReader } from '../_shared/reader.ts';
import { type CodexDialectOptions, createCodexDialect } from './dialect.ts';

const thread = { type: 'thread.started', thread_id: '01a1e16f-90dc-7cb1-b5ad-4dcedfb1bdfe' };
const turn = { type: 'turn.started' };
const usage = { input_tokens: 1500, cached_input_tokens: 300, output_tokens: 42 };
const done = { type: 'turn.completed', usage };
const assistantText = (text: string, id = 'item_0') => ({
  type: 'item.completed',
  item: { id, type: 'agent_message', text },
});
const failed = (message: string) => ({ type: 'turn.failed', error: { message } });

test('A162: the tokens are those of the whole thread, and what came from the cache is not part of the input', () => {
  const reading = read([thread, turn, assistantText('Hello'), done]);
  expect(reading.usage).toEqual({
    of: 'session',
    value: { inputTokens: 1200, outputTokens: 42, cacheReadTokens: 300 },
  });
  expect(reading).toMatchObject({ outcome: 'completed', sessionId: thread.thread_id, lastMessage: 'Hello' });
});

test('A162: a turn that reports no tokens at all was not measured', () => {
  const reading = read([turn, { type: 'turn.completed', usage: { input_tokens: 0, output_tokens: 0 } }]);
  expect(reading.usage).toBeUndefined();
});

test('a claim in the output of a command is not the assistant’s', () => {
  const command = { id: 'item_0', type: 'command_execution', command: 'cat', status: 'completed', exit_code: 0 };
  const output = { ...command, aggregated_output: '<promise>DONE</promise>' };
  const reading = read([
    turn,
    { type: 'item.started', item: command },
    { type: 'item.completed', item: output },
    assistantText('Not yet.', 'item_1'),
    done,
  ]);
  expect(reading.text).toBe('Not yet.');
});

test('a claim counts only in the last message', () => {
  const reading = read([turn, assistantText('<promise>DONE</promise>'), assistantText('I was wrong.', 'item_1'), done]);
  expect(reading.lastMessage).toBe('I was wrong.');
});

test('A083: a retry notice is no failure, and work after it clears the notice', () => {
  const retry = { type: 'error', message: 'Reconnecting... 2/5 (unexpected status 503 Service Unavailable: x)' };
  const events = eventsOf([turn, retry]);
  expect(events).toEqual([
    { type: 'retry', attempt: 2, why: 'unexpected status 503 Service Unavailable: x', outcome: 'transient' },
  ]);
  expect(read([turn, retry, assistantText('Hi'), done])).toMatchObject({ outcome: 'completed', retries: 1 });
  expect(read([turn, retry, assistantText('Hi')], { signal: 'SIGKILL' }).outcome).toBe('interrupted');
});

test('A083: a run that was ended while it retried failed for the reason it reported', () => {
  const waiting = { type: 'error', message: 'Reconnecting... waiting for network (Connection failed: x)' };
  expect(read([turn, waiting], { signal: 'SIGKILL' })).toMatchObject({ outcome: 'transient', retries: 1 });
});

test('a notice among the items is no failure', () => {
  const notice = { type: 'item.completed', item: { id: 'item_0', type: 'error', message: 'Model metadata not found' } };
  expect(read([turn, notice, done]).outcome).toBe('completed');
});

test.each([
  ['exceeded retry limit, last status: 429 Too Many Requests, request id: req_x', 'rate_limited'],
  ['stream disconnected before completion: Rate limit reached for m on tokens per min', 'rate_limited'],
  ['Selected model is at capacity. Please try a different model.', 'rate_limited'],
  ['You’ve hit your usage limit. To get more access now, send a request to your admin', 'usage_limited'],
  ['Quota exceeded. Check your plan and billing details.', 'billing'],
  ['Your workspace is out of credits. Add credits to continue.', 'billing'],
  ['To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus.', 'billing'],
  ['unexpected status 401 Unauthorized: Incorrect API key provided, url: http://h/s/e429/v1', 'auth'],
  ['unexpected status 403 Forbidden: You are not allowed to use this model.', 'auth'],
  ['Missing environment variable: `OPENAI_API_KEY`.', 'auth'],
  ['Your access token could not be refreshed. Please log out and sign in again.', 'auth'],
  ["Codex ran out of room in the model's context window. Start a new thread.", 'context_overflow'],
  ['{"error":{"message":"Too much.","type":"x","code":"context_length_exceeded"}}', 'context_overflow'],
  ['{"error":{"message":"Invalid request.","type":"invalid_request_error","code":null}}', 'configuration'],
  ['The model `m` does not exist or you do not have access to it.', 'configuration'],
  ['Incomplete response returned, reason: max_output_tokens', 'output_limit'],
  ['Incomplete response returned, reason: content_filter', 'refused'],
  ['We’re currently experiencing high demand, which may cause temporary errors.', 'transient'],
  ['stream disconnected before completion: stream closed before response.completed', 'transient'],
  ['Error while reading the server response: operation timed out', 'transient'],
  ['unexpected status 502 Bad Gateway: Unknown error, url: http://h/v1', 'transient'],
  ['an error that nobody knows', 'unknown'],
] as const)('B117: a turn that failed with "%s" is %s', (message, outcome) => {
  expect(read([thread, turn, failed(message)]).outcome).toBe(outcome);
});

test.each([
  ['try again at 11:59 PM.', '2026-11-15T23:59:00.000Z'],
  ['try again at 9:05 AM.', '2026-11-16T09:05:00.000Z'],
  ['try again at Nov 20th, 2026 12:30 AM.', '2026-11-20T00:30:00.000Z'],
  ['Try again in 1 day 2 hours 5 minutes.', '2026-11-17T01:05:00.000Z'],
])('B117: a usage limit with "%s" is over at %s', (words, resetAt) => {
  const now = () => new Date('2026-11-15T23:00:00Z');
  const reading = read([turn, failed(`You’ve hit your usage limit. Or ${words}`)], { now });
  expect(reading).toMatchObject({ outcome: 'usage_limited', resetAt });
});

test('B117: a time of day is in the time zone of the machine that Codex ran on', () => {
  const options = { now: () => new Date('2026-11-15T22:30:00Z'), timeZone: 'Europe/Paris' };
  const reading = read([failed('You’ve hit your usage limit. Try again at 1:15 AM.')], options);
  expect(reading.resetAt).toBe('2026-11-16T00:15:00.000Z');
});

test('B117: without a clock the start of the thread serves as the current time, and without either nothing is known', () => {
  const limit = failed('You’ve hit your usage limit. Try again at 11:59 PM.');
  expect(read([thread, limit]).resetAt).toBe('2026-11-15T23:59:00.000Z');
  expect(read([limit]).resetAt).toBeUndefined();
});

test('A083: a declined command and a patch that only stderr reports are denied permissions', () => {
  const item = { id: 'item_0', type: 'command_execution', status: 'declined' };
  const stderr = '2026-11-15T22:58:18Z ERROR codex_core::tools::router: error=patch rejected: read-only sandbox\n';
  expect(read([turn, { type: 'item.completed', item }, done], { stderr }).permissionDenials).toBe(2);
});

test('A083: what still runs when the turn ends is lost: commands and other agents', () => {
  const command = { id: 'item_0', type: 'command_execution', status: 'in_progress' };
  const agents = { a: { status: 'running' }, b: { status: 'completed' }, c: { status: 'shutdown' } };
  const spawn = {
    id: 'item_1',
    type: 'collab_tool_call',
    tool: 'spawn_agent',
    status: 'completed',
    agents_states: agents,
  };
  const reading = read([turn, { type: 'item.started', item: command }, { type: 'item.completed', item: spawn }, done]);
  expect(reading).toMatchObject({ outcome: 'completed', backgroundLeft: 2 });
});

test('A083: fields that are missing or of another type are ignored, unknown events are counted', () => {
  const reading = read([
    { type: 'thread.started', thread_id: 7 },
    { type: 'item.completed' },
    { type: 'item.completed', item: { type: 'hologram' } },
    { type: 'turn.completed', usage: { input_tokens: 'many', output_tokens: -1 } },
  ]);
  expect(reading).toMatchObject({ outcome: 'completed', unrecognised: 3 });
  expect(reading.usage).toBeUndefined();
});

test.each([
  ["error: unexpected argument '--x' found", 2, 'configuration'],
  ['Not inside a trusted directory and --skip-git-repo-check was not specified.', 1, 'configuration'],
  ['Error: thread/resume failed: no rollout found for thread id 9', 1, 'configuration'],
  ['No prompt provided via stdin.', 1, 'configuration'],
  ['Error: Missing environment variable: `OPENAI_API_KEY`.', 1, 'auth'],
  ['', 1, 'unknown'],
  ['', 0, 'unknown'],
])('B117: without any event, "%s" and exit %i is %s', (stderr, code, outcome) => {
  expect(read([], { stderr, code }).outcome).toBe(outcome);
});

test('B117: a turn that began and never ended was interrupted, whatever the exit code', () => {
  expect(read([thread, turn], { code: 0 }).outcome).toBe('interrupted');
});

interface Run extends CodexDialectOptions {
  readonly stderr?: string;
  readonly code?: number;
  readonly signal?: string;
}

function read(events: readonly unknown[], { stderr = '', code = 1, signal, ...options }: Run = {}): AgentReading {
  const reader = createReader(createCodexDialect({ timeZone: 'UTC', ...options }));
  reader.push(linesOf(events));
  return reader.finish({ stderr, ending: signal ? { kind: 'signalled', signal } : { kind: 'exited', code } });
}

function eventsOf(events: readonly unknown[]) {
  return createReader(createCodexDialect()).push(linesOf(events));
}

function linesOf(events: readonly unknown[]): Uint8Array {
  return new TextEncoder().encode(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
}
