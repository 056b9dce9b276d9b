import { expect, test } from 'vitest';
import type { Ending } from '../../protocol/index.ts';
import type { AgentEvent } from '../_shared/event.ts';
import { type AgentReading, createReader } from '../_shared/reader.ts';
import { createAcpDialect } from './dialect.ts';

const well: Ending = { kind: 'exited', code: 0 };
const killed: Ending = { kind: 'signalled', signal: 'SIGKILL' };
const tag = '<promise>DONE</promise>';
const initialised = (name: string) => answer({ protocolVersion: 1, agentInfo: { name } });
const opened = answer({ sessionId: 's-1' });
const ended = answer({ stopReason: 'end_turn' });

function answer(result: unknown): object {
  return { jsonrpc: '2.0', id: 1, result };
}

function refused(error: object): object {
  return { jsonrpc: '2.0', id: 3, error };
}

function update(sessionUpdate: string, fields: object = {}, sessionId = 's-1'): object {
  return { jsonrpc: '2.0', method: 'session/update', params: { sessionId, update: { sessionUpdate, ...fields } } };
}

function chunk(text: string, fields: object = {}): object {
  return update('agent_message_chunk', { content: { type: 'text', text }, ...fields });
}

function run(printed: readonly unknown[], ending: Ending = well): AgentReading & { all: readonly AgentEvent[] } {
  const reader = createReader(createAcpDialect({ now: () => new Date('2026-11-15T22:12:00Z'), timeZone: 'UTC' }));
  const lines = printed.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  const all = reader.push(new TextEncoder().encode(lines.map((line) => `${line}\n`).join('')));
  return { ...reader.finish({ stderr: '', ending }), all };
}

test('A083: a claim that arrives in pieces is found whole, with and without the end of the turn', () => {
  const pieces = [opened, chunk('Done.\n<prom'), update('usage_update', { used: 1 }), chunk('ise>DONE</promise>')];
  expect(run(pieces, killed)).toMatchObject({ outcome: 'interrupted', lastMessage: `Done.\n${tag}`, sessionId: 's-1' });
  expect(run([...pieces, ended])).toMatchObject({ outcome: 'completed', lastMessage: `Done.\n${tag}` });
});

test.each([
  ['a tool’s call', update('tool_call', { toolCallId: 't1', kind: 'edit' })],
  [
    'a question about a tool',
    { id: 0, method: 'session/request_permission', params: { toolCall: { toolCallId: 't1' } } },
  ],
  ['a tool of which only the end is reported', update('tool_call_update', { toolCallId: 't1', status: 'completed' })],
  ['a new prompt', update('user_message_chunk', { content: { type: 'text', text: tag } })],
])('A083: after %s another message begins', (_name, between) => {
  const reading = run([opened, chunk('First.'), between, chunk('Second.'), ended]);
  expect(reading).toMatchObject({ lastMessage: 'Second.', text: 'First.\nSecond.' });
});

test('A083: a different id begins another message', () => {
  const words = [chunk('One', { messageId: 'm1' }), chunk('Two', { messageId: 'm2' }), chunk('.', { messageId: 'm2' })];
  expect(run([opened, ...words, ended]).lastMessage).toBe('Two.');
});

test('A083: thoughts, words of a tool, of a user, of a subagent or of another session are not the assistant’s', () => {
  const content = { type: 'text', text: tag };
  const parent = { _meta: { claudeCode: { parentToolUseId: 't0' } } };
  const reading = run([
    opened,
    chunk('Work'),
    update('agent_thought_chunk', { content }),
    chunk(tag, parent),
    update('tool_call', { toolCallId: 't9', ...parent }),
    update('agent_message_chunk', { content }, 's-2'),
    update('agent_message_chunk', { content: { type: 'image', text: tag } }),
    chunk('ing.'),
    update('tool_call_update', { toolCallId: 't1', status: 'completed', content: [{ type: 'content', content }] }),
    update('user_message_chunk', { content }),
    ended,
  ]);
  expect(reading).toMatchObject({ lastMessage: 'Working.', text: 'Working.', unrecognised: 0 });
});

test('A083: a claim that a loaded session only repeats does not count', () => {
  const replay = [update('user_message_chunk', { content: { type: 'text', text: 'Go' } }), chunk(`Old. ${tag}`)];
  const loaded = run([initialised('any'), ...replay, answer(null), ended]);
  expect(loaded).toMatchObject({ outcome: 'completed', lastMessage: '', sessionId: 's-1' });
  expect(run([...replay, answer({}), chunk('New.'), answer({}), chunk(' More.'), ended]).lastMessage).toBe(
    'New. More.',
  );
  const echoed = [update('user_message_chunk'), chunk('A'), answer({}), chunk('B'), ended];
  expect(run([opened, ...echoed]).lastMessage).toBe('AB');
  expect(run([...replay, answer({}), ...echoed]).lastMessage).toBe('AB');
});

test.each([
  ['end_turn', 'completed'],
  ['cancelled', 'interrupted'],
  ['max_tokens', 'output_limit'],
  ['refusal', 'refused'],
  ['max_turn_requests', 'turn_limit'],
  ['constructor', 'unknown'],
])('A083: a turn that stopped because of %s is %s, whatever error came before', (stopReason, outcome) => {
  expect(run([opened, refused({ code: -32_603, message: 'odd' }), answer({ stopReason })]).outcome).toBe(outcome);
});

test.each([
  [{ code: -32_603, message: 'Internal error: Sorry', data: { errorKind: 'authentication_failed' } }, 'auth'],
  [{ code: -32_603, message: 'Internal error: Sorry', data: { errorKind: 'rate_limit' } }, 'rate_limited'],
  [
    { code: -32_603, message: 'Internal error: Prompt is too long', data: { errorKind: 'invalid_request' } },
    'context_overflow',
  ],
  [{ code: -32_603, message: 'Internal error: Sorry', data: { errorKind: 'server_error' } }, 'transient'],
  [{ code: -32_603, message: 'Internal error', data: { codexErrorInfo: 'contextWindowExceeded' } }, 'context_overflow'],
  [
    {
      code: -32_603,
      message: 'Internal error',
      data: { codexErrorInfo: { httpConnectionFailed: { httpStatusCode: 403 } } },
    },
    'auth',
  ],
  [
    { code: -32_603, message: 'Internal error', data: { codexErrorInfo: { responseStreamDisconnected: {} } } },
    'transient',
  ],
  [{ code: -32_603, message: 'Internal error: Odd', data: { errorName: 'ProviderAuthError' } }, 'auth'],
  [{ code: -32_603, message: 'Internal error', data: { details: 'Rate limit reached' } }, 'rate_limited'],
  [{ code: -32_603, message: 'Internal error', data: 'fetch failed' }, 'transient'],
  [{ code: -32_603, message: 'Internal error' }, 'unknown'],
  [{ code: -32_000, message: 'Odd' }, 'auth'],
  [{ code: -32_000, message: 'Connection lost' }, 'transient'],
  [{ code: -32_602, message: 'Invalid params' }, 'configuration'],
  [{ code: -32_800, message: 'Request cancelled' }, 'interrupted'],
  [{ code: -32_603, message: 'unexpected status 402: Odd', data: { errorKind: 'server_error' } }, 'billing'],
  [{ code: 503, message: 'Odd' }, 'transient'],
  [{ code: 429, message: '{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"Slow"}}' }, 'rate_limited'],
  [{ code: 'odd', message: 7, data: { errorKind: 'constructor' } }, 'unknown'],
])('A083: an error %o that ends a turn is %s', (error, outcome) => {
  expect(run([opened, refused(error)]).outcome).toBe(outcome);
});

test.each([
  ['You’ve hit your session limit · resets 1am (UTC)', 'usage_limited', '2026-11-16T01:00:00.000Z'],
  ['You’ve hit your usage limit or try again at 11:54 PM.', 'usage_limited', '2026-11-15T23:54:00.000Z'],
  ['Too many requests. Please retry in 30s.', 'rate_limited', '2026-11-15T22:12:30.000Z'],
])('A083: a limit reports when it is over: %s', (message, outcome, resetAt) => {
  const error = { code: -32_603, message: `Internal error: ${message}`, data: { errorKind: 'rate_limit' } };
  expect(run([opened, refused(error)])).toMatchObject({ outcome, resetAt, message });
});

test('A083: without a clock, the session’s own id dates a time of day', () => {
  const reader = createReader(createAcpDialect({ timeZone: 'UTC' }));
  const error = { code: -32_603, message: 'Internal error', data: { message: 'Usage limit: try again at 11:54 PM' } };
  const lines = [answer({ sessionId: '01a1e16b-50bd-7fb0-8641-ad5be191c61d' }), refused(error)];
  reader.push(new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
  expect(reader.finish({ stderr: '', ending: well }).resetAt).toBe('2026-11-15T23:54:00.000Z');
});

test('A083: an agent that does not know an extra method continues; one that cannot open a session does not', () => {
  const unknown = refused({ code: -32_601, message: 'Method not found' });
  expect(run([opened, unknown, chunk('Working.')], killed).outcome).toBe('interrupted');
  expect(run([unknown]).outcome).toBe('configuration');
});

test('A083: a tool is reported once and ends once; a request for permission is no denial', () => {
  const call = { toolCallId: 't1', title: 'Write hello.txt', kind: 'edit' };
  const name = { _meta: { claudeCode: { toolName: 'Write' } } };
  const reading = run([
    opened,
    update('tool_call', { ...call, ...name, status: 'pending' }),
    { id: 0, method: 'session/request_permission', params: { toolCall: call, options: [] } },
    update('tool_call_update', { toolCallId: 't1', status: 'in_progress' }),
    update('tool_call_update', { toolCallId: 't1', status: 'failed' }),
    update('tool_call_update', { toolCallId: 't1', title: 'Late' }),
    update('tool_call_update', { toolCallId: 't2', kind: 'execute', status: 'completed' }),
    ended,
  ]);
  expect(reading.permissionDenials).toBe(0);
  expect(reading.all.filter(({ type }) => type.startsWith('tool'))).toEqual([
    { type: 'tool_use', id: 't1', name: 'Write' },
    { type: 'tool_result', id: 't1', ok: false },
    { type: 'tool_use', id: 't2', name: 'execute' },
    { type: 'tool_result', id: 't2', ok: true },
  ]);
});

test.each([
  ['apart', 'inside', { inputTokens: 100, outputTokens: 20, totalTokens: 155 }],
  ['apart', 'apart', { inputTokens: 100, outputTokens: 15, totalTokens: 155 }],
  ['inside', 'inside', { inputTokens: 135, outputTokens: 20, totalTokens: 155 }],
  ['inside', 'apart', { inputTokens: 135, outputTokens: 15, totalTokens: 155 }],
  ['apart', 'inside', { inputTokens: 100, outputTokens: 20 }],
])(
  'A054: with the cache %s of the input and the thoughts %s of the output, tokens are counted once',
  (_c, _t, counts) => {
    const usage = { ...counts, cachedReadTokens: 30, cachedWriteTokens: 5, thoughtTokens: 5 };
    expect(run([opened, answer({ stopReason: 'end_turn', usage })]).usage).toEqual({
      of: 'run',
      value: { inputTokens: 100, outputTokens: 20, cacheReadTokens: 30, cacheWriteTokens: 5 },
    });
  },
);

test('A054: thoughts that are as many as the cached tokens are treated as part of the output', () => {
  const usage = { inputTokens: 100, outputTokens: 20, cachedReadTokens: 5, thoughtTokens: 5, totalTokens: 125 };
  expect(run([opened, answer({ stopReason: 'end_turn', usage })]).usage?.value).toMatchObject({
    inputTokens: 100,
    outputTokens: 20,
  });
});

test('A054: the cost is that of the whole session, and only in dollars', () => {
  const cost = (amount: unknown, currency: string) =>
    update('usage_update', { used: 9, size: 10, cost: { amount, currency } });
  expect(run([opened, cost(0.5, 'USD'), cost(0.75, 'USD'), ended])).toMatchObject({
    costUsd: { value: 0.75, of: 'session' },
    context: { used: 9, size: 10 },
  });
  expect(run([opened, cost(0.5, 'EUR'), cost('1', 'USD'), ended])).not.toHaveProperty('costUsd');
});

test('A054: tokens of the last request alone are not those of a turn that made several', () => {
  const usage = { inputTokens: 10, outputTokens: 2, totalTokens: 12 };
  const tool = update('tool_call', { toolCallId: 't1' });
  const over = answer({ stopReason: 'end_turn', usage });
  expect(run([initialised('OpenCode'), opened, tool, over])).not.toHaveProperty('usage');
  expect(run([initialised('OpenCode'), opened, over])).toHaveProperty('usage');
  expect(run([initialised('Other'), opened, tool, over])).toHaveProperty('usage');
});

test('A083: the model is the configured one, then the one that did the work; a name such as “auto” is not a model', () => {
  const set = (currentValue: string) => ({ configOptions: [{ id: 'm', category: 'model', currentValue }] });
  expect(run([answer({ sessionId: 's-1', ...set('default') }), ended])).not.toHaveProperty('model');
  expect(run([answer({ sessionId: 's-1', models: { currentModelId: 'one' } }), ended]).model).toBe('one');
  expect(run([opened, update('config_option_update', set('two')), ended]).model).toBe('two');
  const worked = (...models: string[]) => ({ quota: { model_usage: models.map((model) => ({ model })) } });
  const over = (...models: string[]) => answer({ stopReason: 'end_turn', _meta: worked(...models) });
  expect(run([opened, over('three')]).model).toBe('three');
  expect(run([opened, over('three', 'four')])).not.toHaveProperty('model');
});

test('A083: unknown lines are counted, uninteresting ones are not', () => {
  const odd = [
    update('tomorrow'),
    update('constructor'),
    {},
    { method: 'tomorrow' },
    { id: 1 },
    { error: {} },
    'words',
  ];
  const dull = [
    update('plan'),
    update('session_info_update'),
    answer({}),
    answer(null),
    { id: 0, method: 'fs/read_text_file', params: {} },
    { id: 1, method: 'terminal/create' },
    { method: '_auth/status_update' },
    { method: 'session/update', params: { update: { sessionUpdate: 'plan' } } },
  ];
  expect(run([opened, ...odd, ...dull, ended])).toMatchObject({ outcome: 'completed', unrecognised: odd.length });
});

test('A083: an agent that refuses its command line is misconfigured; anything else is unknown', () => {
  const silent = (stderr: string, ending: Ending) =>
    createReader(createAcpDialect()).finish({ stderr, ending }).outcome;
  expect(silent("error: unknown option '--acp'", { kind: 'exited', code: 1 })).toBe('configuration');
  expect(silent('Killed', { kind: 'exited', code: 1 })).toBe('unknown');
  expect(silent("error: unknown option '--acp'", killed)).toBe('interrupted');
  expect(run([opened]).outcome).toBe('unknown');
});
