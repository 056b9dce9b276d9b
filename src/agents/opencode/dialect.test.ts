import { expect, test } from 'vitest';
import type { Ending } from '../../protocol/index.ts';
import { type AgentReading, createReader } from '../_shared/reader.ts';
import { createOpenCodeDialect } from './dialect.ts';

const sessionID = 'ses_1';
const at = Date.parse('2026-11-15T22:00:00Z');
const event = (type: string, part: object) => ({
  type,
  timestamp: at,
  sessionID,
  part: { sessionID, messageID: 'msg_1', ...part },
});
const start = (messageID = 'msg_1') => event('step_start', { messageID });
const text = (words: string, id = 'prt_1', messageID = 'msg_1') => event('text', { id, messageID, text: words });
const tokens = { input: 1200, output: 35, reasoning: 7, cache: { read: 300, write: 10 } };
const finish = (reason: string, id = 'prt_9') => event('step_finish', { id, reason, tokens, cost: 0.5 });
const error = (name: string, data: object) => ({ type: 'error', timestamp: at, sessionID, error: { name, data } });

test('A162: steps are added up, one that is reported again counts once, and thoughts are paid for like answers', () => {
  const reading = read([
    start(),
    finish('tool-calls', 'a'),
    finish('tool-calls', 'a'),
    start('msg_2'),
    finish('stop', 'b'),
  ]);
  expect(reading.usage).toEqual({
    of: 'run',
    value: { inputTokens: 2400, outputTokens: 84, cacheReadTokens: 600, cacheWriteTokens: 20 },
  });
  expect(reading.costUsd).toEqual({ of: 'run', value: 1 });
  expect(reading.context).toEqual({ used: 1510 });
});

test('B117: a run is over after a step that stops and that nothing follows', () => {
  expect(read([start(), text('Hi'), finish('stop')])).toMatchObject({ outcome: 'completed', sessionId: sessionID });
  expect(read([start(), finish('stop'), start('msg_2')]).outcome).toBe('interrupted');
});

test.each([
  ['stop', 'completed'],
  ['length', 'output_limit'],
  ['content-filter', 'refused'],
  ['tool-calls', 'unknown'],
  ['unknown', 'unknown'],
  ['constructor', 'unknown'],
])('B117: a run that exits with 0 after a step that ended for the reason "%s" is %s', (reason, outcome) => {
  expect(read([start(), finish(reason)]).outcome).toBe(outcome);
});

test('B117: a run that had to be stopped is still complete if its last step was', () => {
  const stopped: Ending = { kind: 'stopped', by: 'idle', forced: false };
  expect(read([start(), finish('stop')], { ending: stopped }).outcome).toBe('completed');
  expect(read([start(), finish('tool-calls')], { ending: stopped }).outcome).toBe('interrupted');
});

test('B117: an error counts if it is the last event', () => {
  const overflow = error('ContextOverflowError', { message: 'too long' });
  expect(read([start(), overflow], { code: 1 }).outcome).toBe('context_overflow');
  expect(read([start(), overflow, start('msg_2'), finish('stop')]).outcome).toBe('completed');
  expect(read([start(), overflow, start('msg_2')], { code: 1 }).outcome).toBe('interrupted');
});

const answer = (statusCode: number, message: string, code: string | null = null) => ({
  message,
  statusCode,
  responseBody: JSON.stringify({ error: { message, type: 'x', code } }),
});

test.each([
  ['APIError', answer(429, 'Rate limit reached', 'rate_limit_exceeded'), 'rate_limited'],
  ['APIError', answer(429, 'You exceeded your current quota, see billing details.', 'insufficient_quota'), 'billing'],
  ['APIError', answer(400, 'Your credit balance is too low to access the API.'), 'billing'],
  ['APIError', answer(529, 'Overloaded'), 'rate_limited'],
  ['APIError', answer(503, 'The engine is currently overloaded', 'server_is_overloaded'), 'rate_limited'],
  ['APIError', answer(503, 'Service unavailable.'), 'transient'],
  ['APIError', answer(500, 'The server had an error.'), 'transient'],
  ['APIError', answer(401, 'Incorrect API key provided.', 'invalid_api_key'), 'auth'],
  ['APIError', answer(403, 'You are not allowed to use this model.', 'model_not_allowed'), 'auth'],
  ['APIError', answer(404, 'The model does not exist.', 'model_not_found'), 'configuration'],
  ['APIError', answer(400, 'Invalid request.'), 'configuration'],
  ['APIError', answer(400, 'prompt is too long: 2 tokens > 1 maximum'), 'context_overflow'],
  ['APIError', { message: 'Cannot connect to API: Unable to connect.' }, 'transient'],
  ['UnknownError', { message: 'The operation timed out.' }, 'transient'],
  ['ProviderAuthError', { message: 'x' }, 'auth'],
  ['MessageOutputLengthError', {}, 'output_limit'],
  ['MessageAbortedError', { message: 'Aborted' }, 'interrupted'],
  ['UnknownError', { message: 'nobody knows' }, 'unknown'],
] as const)('B117: %s with %o is %s', (name, data, outcome) => {
  expect(read([start(), error(name, data)], { code: 1 }).outcome).toBe(outcome);
});

test('B117: an unexplained error before any model request is a configuration error', () => {
  expect(read([error('UnknownError', { message: 'Unexpected server error.' })], { code: 1 }).outcome).toBe(
    'configuration',
  );
});

test('B117: the headers or the body of the answer state when a limit is over', () => {
  const after = { ...answer(429, 'Rate limit reached'), responseHeaders: { 'retry-after': '3600' } };
  const body = { error: { type: 'usage_limit_reached', message: 'x', resets_at: at / 1000 + 60 } };
  const plan = { message: 'The usage limit has been reached', statusCode: 429, responseBody: JSON.stringify(body) };
  expect(read([error('APIError', after)]).resetAt).toBe('2026-11-15T23:00:00.000Z');
  expect(read([error('APIError', plan)])).toMatchObject({
    outcome: 'usage_limited',
    resetAt: '2026-11-15T22:01:00.000Z',
  });
});

test('B117: the headers of a plan distinguish its limit from a rate limit', () => {
  const responseHeaders = {
    'retry-after': '5',
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': String(at / 1000 + 120),
  };
  const reading = read([error('APIError', { ...answer(429, 'Rate limit'), responseHeaders })]);
  expect(reading).toMatchObject({ outcome: 'usage_limited', resetAt: '2026-11-15T22:02:00.000Z' });
});

test('A083: a message is all of its parts, and a part that is reported again replaces the earlier one', () => {
  const reading = read([start(), text('One.', 'a'), text('Tw', 'b'), text('Two.', 'b'), finish('stop')]);
  expect(reading.lastMessage).toBe('One.\nTwo.');
});

test('A083: what a tool prints is not the assistant’s text, nor is the text of another session', () => {
  const tool = event('tool_use', { tool: 'bash', callID: 'c', state: { status: 'completed', output: '<promise>' } });
  const other = { ...text('<promise>DONE</promise>'), part: { sessionID: 'ses_2', text: '<promise>DONE</promise>' } };
  const reading = read([start(), tool, other, finish('tool-calls'), start('msg_2'), text('No.'), finish('stop')]);
  expect(reading).toMatchObject({ text: 'No.', lastMessage: 'No.' });
});

test('A083: a step that starts again repeats its request, and its partial answer is dropped', () => {
  const reading = read([start(), text('Half an ans', 'a'), start(), text('Answer.', 'b'), finish('stop')]);
  expect(reading).toMatchObject({ retries: 1, lastMessage: 'Answer.', outcome: 'completed' });
});

test('A083: a rejected tool is a denied permission, and a run that ends with it names it', () => {
  const state = { status: 'error', error: 'The user rejected permission to use this specific tool call.' };
  const reading = read([start(), event('tool_use', { tool: 'write', callID: 'c', state }), finish('tool-calls')]);
  expect(reading).toMatchObject({ permissionDenials: 1, outcome: 'unknown' });
  expect(reading.message).toContain('write');
});

const logged = (time: string, small: boolean) =>
  `timestamp=${time} level=ERROR message="stream error" small=${small} error.error="AI_APICallError: Rate limit reached. Please try again in 60s."`;

test('B117: its log reveals what it silently waits for, unless an event came later', () => {
  const killed: Ending = { kind: 'signalled', signal: 'SIGKILL' };
  const during = (stderr: string) => read([start()], { stderr, ending: killed });
  expect(during(logged('2026-11-15T22:00:05.000Z', false))).toMatchObject({
    outcome: 'rate_limited',
    resetAt: '2026-11-15T22:01:05.000Z',
  });
  expect(during(logged('2026-11-15T21:00:05.000Z', false)).outcome).toBe('interrupted');
  expect(during(logged('2026-11-15T22:00:05.000Z', true)).outcome).toBe('interrupted');
});

test.each([
  ['\u001b[91m\u001b[1mError: \u001b[0mSession not found', 1, 'configuration'],
  ['Error: You must provide a message or a command', 1, 'configuration'],
  ['opencode run [message..]\n\nrun opencode with a message', 1, 'configuration'],
  ['\u001b[91m\u001b[1mError: \u001b[0mIncorrect API key provided: k.', 1, 'auth'],
  ['', 1, 'unknown'],
])('B117: without any event, "%s" and exit %i is %s', (stderr, code, outcome) => {
  expect(read([], { stderr, code }).outcome).toBe(outcome);
});

test('A083: fields that are missing or of another type are ignored, unknown events are counted', () => {
  const reading = read([
    { type: 'step_start' },
    { type: 'text', part: { text: 7 } },
    { type: 'step_finish', part: { tokens: { input: 'many', cache: null }, cost: 'much' } },
    { type: 'error', error: null },
    { type: 'hologram' },
  ]);
  expect(reading).toMatchObject({ outcome: 'unknown', unrecognised: 2 });
  expect(reading.usage).toBeUndefined();
});

interface Run {
  readonly stderr?: string;
  readonly code?: number;
  readonly ending?: Ending;
}

function read(events: readonly unknown[], { stderr = '', code = 0, ending }: Run = {}): AgentReading {
  const reader = createReader(createOpenCodeDialect());
  reader.push(new TextEncoder().encode(events.map((line) => `${JSON.stringify(line)}\n`).join('')));
  return reader.finish({ stderr, ending: ending ?? { kind: 'exited', code } });
}
