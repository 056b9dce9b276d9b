import { expect, test } from 'vitest';
import type { Ending } from '../../protocol/index.ts';
import { type AgentReading, createReader } from '../_shared/reader.ts';
import { createCopilotDialect } from './dialect.ts';

const well: Ending = { kind: 'exited', code: 0 };
const killed: Ending = { kind: 'signalled', signal: 'SIGKILL' };
const success = { type: 'result', sessionId: 's-1', exitCode: 0 };
const failed = { type: 'result', sessionId: 's-1', exitCode: 1 };

function read(printed: readonly unknown[], ending: Ending = well, stderr = ''): AgentReading {
  const reader = createReader(createCopilotDialect());
  const lines = printed.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  reader.push(new TextEncoder().encode(lines.map((line) => `${line}\n`).join('')));
  return reader.finish({ stderr, ending });
}

function event(type: string, data: object = {}, more: object = {}): object {
  return { type, data, ...more };
}

function failure(statusCode: number | undefined, error: object): object {
  return event('model.call_failure', { statusCode, errorMessage: JSON.stringify(error) });
}

const delta = (deltaContent: string) => event('assistant.message_delta', { messageId: 'm1', deltaContent });
const message = (messageId: string, content: string) => event('assistant.message', { messageId, content });

test('A083: a claim that arrives in pieces is found whole, with and without the message that repeats it', () => {
  const pieces = [delta('Done.\n<prom'), delta('ise>DONE</promise>')];
  expect(read(pieces, killed).lastMessage).toBe('Done.\n<promise>DONE</promise>');
  expect(read([...pieces, message('m1', 'Done.\n<promise>DONE</promise>'), success])).toMatchObject({
    outcome: 'completed',
    text: 'Done.\n<promise>DONE</promise>',
    sessionId: 's-1',
  });
});

test('A083: the text of a subagent or of a tool is not the assistant’s', () => {
  const tag = '<promise>DONE</promise>';
  const { lastMessage } = read([
    message('m1', 'Working.'),
    event('assistant.message', { messageId: 'm2', content: tag, parentToolCallId: 't1' }),
    event('assistant.message', { messageId: 'm3', content: tag }, { agentId: 'a1' }),
    event('tool.shell_output', { text: tag }),
    event('tool.execution_complete', { toolCallId: 't1', success: true, result: { content: tag } }),
    success,
  ]);
  expect(lastMessage).toBe('Working.');
});

test('A083: a claim before a last message that only calls a tool does not count', () => {
  expect(read([message('m1', '<promise>DONE</promise>'), message('m2', '')]).lastMessage).toBe('');
});

test('A083: an aborted run was interrupted, although its result reports exit code 0', () => {
  expect(read([event('abort', { reason: 'user_initiated' }), success]).outcome).toBe('interrupted');
  expect(read([event('assistant.idle', { aborted: true }), success]).outcome).toBe('interrupted');
  expect(read([event('assistant.idle'), success]).outcome).toBe('completed');
  expect(read([failure(429, {}), event('abort')]).outcome).toBe('interrupted');
});

test.each([
  [401, { code: 'invalid_api_key' }, 'auth'],
  [429, { code: 'rate_limit_exceeded' }, 'rate_limited'],
  [429, { type: 'usage_limit_reached' }, 'usage_limited'],
  [429, { code: 'insufficient_quota' }, 'billing'],
  [400, { code: 'context_length_exceeded' }, 'context_overflow'],
  [400, { message: 'odd' }, 'configuration'],
  [404, { code: 'model_not_found' }, 'configuration'],
  [503, { code: 'server_is_overloaded' }, 'rate_limited'],
  [500, { type: 'server_error' }, 'transient'],
  [undefined, { message: 'odd' }, 'unknown'],
] as const)('A083: a request refused with %s %o explains why the session ended', (status, error, outcome) => {
  const end = event('session.error', { errorType: 'query', message: 'Failed to get response' });
  const reading = read([failure(status, error), end, failed]);
  expect(reading).toMatchObject({ outcome, message: 'Failed to get response' });
});

test('A083: an error of the session that no failed request explains is read by its own type', () => {
  const error = (errorType: string) => event('session.error', { errorType, message: 'Sorry' });
  expect(read([error('quota'), failed]).outcome).toBe('usage_limited');
  expect(read([error('authentication'), failed]).outcome).toBe('auth');
  expect(read([error('constructor'), failed]).outcome).toBe('unknown');
  expect(read([failed]).outcome).toBe('unknown');
  expect(read([failure(undefined, { message: 'odd' }), error('rate_limit'), failed]).outcome).toBe('rate_limited');
  const lost = event('model.call_failure', { failureKind: 'transport', errorMessage: '"odd"' });
  expect(read([lost, error('query'), failed]).outcome).toBe('transient');
});

test('A083: a failed request that succeeded when retried means nothing', () => {
  const retry = event('assistant.turn_retry', { reason: 'rate_limit' });
  const first = failure(429, { type: 'usage_limit_reached', resets_at: 1_794_786_040 });
  const reading = read([first, retry, message('m1', 'Done.'), success]);
  expect(reading).toMatchObject({ outcome: 'completed', retries: 1 });
  expect(reading).not.toHaveProperty('resetAt');
  expect(read([event('session.error', { errorType: 'query' }), message('m1', 'Done.'), success]).outcome).toBe(
    'completed',
  );
  expect(read([first, retry, message('m1', 'Done.')], killed).outcome).toBe('interrupted');
});

test('A083: a run that was cut off while it waited for a limit was limited, until the instant the provider named', () => {
  const reading = read([failure(429, { type: 'usage_limit_reached', resets_at: 1_794_786_040 })], killed);
  expect(reading).toMatchObject({ outcome: 'usage_limited', resetAt: '2026-11-15T23:40:40.000Z' });
});

test('A083: a denied tool is counted by its name, a failed one is not denied', () => {
  const start = event('tool.execution_start', { toolCallId: 't1', toolName: 'bash' });
  const end = (code: string) => event('tool.execution_complete', { toolCallId: 't1', success: false, error: { code } });
  const reader = createReader(createCopilotDialect());
  const events = reader.push(new TextEncoder().encode(`${JSON.stringify(start)}\n${JSON.stringify(end('denied'))}\n`));
  expect(events).toContainEqual({ type: 'permission_denied', tool: 'bash' });
  expect(read([start, end('failure'), success]).permissionDenials).toBe(0);
});

test('A054: the context comes from a tool’s telemetry; tokens and cost are not reported, which is not 0', () => {
  const metrics = { context_current_tokens: 11_185, context_token_limit: 922_000 };
  const reading = read([event('tool.execution_complete', { success: true, toolTelemetry: { metrics } }), success]);
  expect(reading.context).toEqual({ used: 11_185, size: 922_000 });
  expect(reading).not.toHaveProperty('usage');
  expect(reading).not.toHaveProperty('costUsd');
});

test('A083: unknown events are counted, uninteresting ones are not', () => {
  const odd = [{ type: 'tomorrow' }, {}, { type: 'constructor' }, 'plain words'];
  const reading = read([event('session.skills_loaded'), ...odd, event('assistant.turn_start'), success]);
  expect(reading).toMatchObject({ outcome: 'completed', unrecognised: 4 });
});

test('A083: without events, a refusal to start and an answer in plain text are all that can be known', () => {
  const badly: Ending = { kind: 'exited', code: 1 };
  expect(read([], badly, 'error: Invalid command format.').outcome).toBe('configuration');
  expect(read(['All done.'], well)).toMatchObject({ outcome: 'completed', lastMessage: 'All done.' });
  expect(read(['All done.'], badly).outcome).toBe('unknown');
  expect(read(['All done.'], killed).outcome).toBe('interrupted');
  expect(read([event('assistant.turn_start')], badly, 'error: odd').outcome).toBe('unknown');
});
