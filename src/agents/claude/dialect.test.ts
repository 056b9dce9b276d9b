import { expect, test } from 'vitest';
import type { Ending } from '../../protocol/index.ts';
import { type AgentReading, createReader } from '../_shared/reader.ts';
import { createClaudeDialect } from './dialect.ts';

const well: Ending = { kind: 'exited', code: 0 };
const badly: Ending = { kind: 'exited', code: 1 };
const init = { type: 'system', subtype: 'init', session_id: 's-1', model: 'claude-opus-5-5' };
const tokens = { input_tokens: 1200, cache_read_input_tokens: 300, cache_creation_input_tokens: 100 };
const success = { type: 'result', subtype: 'success', is_error: false, terminal_reason: 'completed', result: 'Done.' };
const apiError = { type: 'result', subtype: 'success', is_error: true, terminal_reason: 'api_error' };

function read(printed: readonly unknown[], ending: Ending = well, stderr = ''): AgentReading {
  const reader = createReader(createClaudeDialect({ now: () => new Date('2026-11-15T22:12:00Z') }));
  const lines = printed.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  reader.push(new TextEncoder().encode(lines.map((line) => `${line}\n`).join('')));
  return reader.finish({ stderr, ending });
}

function assistantText(id: string, text: string, more: object = {}): object {
  const message = { id, model: 'claude-opus-5-5', content: [{ type: 'text', text }], usage: { ...tokens } };
  return { type: 'assistant', message, parent_tool_use_id: null, ...more };
}

function piece(event: object): object {
  return { type: 'stream_event', event, parent_tool_use_id: null };
}

function perModel(inputTokens: number, costUSD: number): object {
  return { inputTokens, outputTokens: 42, cacheReadInputTokens: 0, cacheCreationInputTokens: 0, costUSD };
}

test('A083: a claim that arrives in pieces is found whole, even when the run is cut off before the message ends', () => {
  const start = { type: 'message_start', message: { id: 'm1', usage: tokens } };
  const delta = (text: string) => piece({ type: 'content_block_delta', delta: { type: 'text_delta', text } });
  const { lastMessage, outcome } = read([init, piece(start), delta('<prom'), delta('ise>DONE</promise>')], {
    kind: 'signalled',
    signal: 'SIGKILL',
  });
  expect(lastMessage).toBe('<promise>DONE</promise>');
  expect(outcome).toBe('interrupted');
});

test('A083: text that was streamed and then repeated as a block counts once', () => {
  const start = { type: 'message_start', message: { id: 'm1', usage: tokens } };
  const delta = piece({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'One.' } });
  const reading = read([init, piece(start), delta, assistantText('m1', 'One.'), assistantText('m1', 'Two.')]);
  expect(reading.text).toBe('One.\nTwo.');
});

test('A083: a tag in a tool result, in the text of the user or of a subagent is not in the last message', () => {
  const tag = '<promise>DONE</promise>';
  const result = { type: 'tool_result', tool_use_id: 't1', content: tag };
  const { lastMessage, text } = read([
    init,
    assistantText('m1', 'Working.'),
    assistantText('m2', tag, { parent_tool_use_id: 't1' }),
    { ...piece({ type: 'content_block_delta', delta: { type: 'text_delta', text: tag } }), parent_tool_use_id: 't1' },
    { type: 'user', message: { content: [result] } },
    { type: 'user', message: { content: [{ type: 'text', text: tag }] }, isSynthetic: true },
    { ...success, result: '' },
  ]);
  expect(lastMessage).toBe('Working.');
  expect(text).toBe('Working.');
});

test('A083: a claim before a last message that only calls a tool does not count', () => {
  const call = { id: 'm2', model: 'claude-opus-5-5', content: [{ type: 'tool_use', id: 't1', name: 'Bash' }] };
  const reading = read([init, assistantText('m1', '<promise>DONE</promise>'), { type: 'assistant', message: call }]);
  expect(reading.lastMessage).toBe('');
});

test('A162: without a result, usage is counted once per message and the output of unfinished ones is unknown', () => {
  const half = assistantText('m1', 'One.');
  const { usage } = read([init, half, half, assistantText('m2', 'Two.')], { kind: 'lost' });
  expect(usage).toEqual({ value: { inputTokens: 2400, cacheReadTokens: 600, cacheWriteTokens: 200 }, of: 'run' });
});

test('A162: the end of a streamed message reports its output', () => {
  const start = piece({ type: 'message_start', message: { id: 'm1', usage: { ...tokens, output_tokens: 1 } } });
  const { usage } = read([
    init,
    start,
    assistantText('m1', 'Hi.'),
    piece({ type: 'message_delta', usage: { output_tokens: 42 } }),
  ]);
  expect(usage?.value).toEqual({ inputTokens: 1200, outputTokens: 42, cacheReadTokens: 300, cacheWriteTokens: 100 });
});

test('A162: in a resumed session, what was added since the last result is what this run used', () => {
  const { usage, costUsd } = read([
    init,
    {
      ...success,
      total_cost_usd: 9,
      modelUsage: { a: perModel(9000, 9) },
      model_usage_since_last_result: { a: perModel(1000, 0.5), b: perModel(200, 0.25) },
    },
  ]);
  expect(usage).toEqual({
    value: { inputTokens: 1200, outputTokens: 84, cacheReadTokens: 0, cacheWriteTokens: 0 },
    of: 'run',
  });
  expect(costUsd).toEqual({ value: 0.75, of: 'run' });
});

test('A162: sums that are more than this run can have used are those of the session', () => {
  const result = { ...success, usage: tokens, total_cost_usd: 9, modelUsage: { a: perModel(3000, 9) } };
  const { usage, costUsd } = read([init, assistantText('m1', 'Hi.'), assistantText('m1', 'Again.'), result]);
  expect(usage).toMatchObject({ of: 'session', value: { inputTokens: 3000 } });
  expect(costUsd).toEqual({ value: 9, of: 'session' });
});

test('A162: tokens of subagents belong to the run, although the result does not count them in its own usage', () => {
  const helper = assistantText('m2', 'Helping.', { parent_tool_use_id: 't1' });
  const result = { ...success, usage: tokens, total_cost_usd: 2, modelUsage: { a: perModel(3200, 2) } };
  const { usage } = read([init, assistantText('m1', 'Hi.'), helper, result]);
  expect(usage).toMatchObject({ of: 'run', value: { inputTokens: 3200 } });
});

test('A054: the context is what the last message of the assistant itself had to read, of the window of its model', () => {
  const modelUsage = { 'claude-opus-5-5[1m]': { contextWindow: 1_000_000 }, small: { contextWindow: 200_000 } };
  const { context, model } = read([
    { ...init, model: 'claude-opus-5-5[1m]' },
    assistantText('m1', 'Hi.'),
    { ...assistantText('m2', 'Helping.'), parent_tool_use_id: 't1', message: { id: 'm2', usage: { input_tokens: 7 } } },
    { ...success, modelUsage },
  ]);
  expect(context).toEqual({ used: 1600, size: 1_000_000 });
  expect(read([init, { ...success, modelUsage }]).context).toEqual({ size: 1_000_000 });
  expect(model).toBe('claude-opus-5-5[1m]');
});

test('A083: a retry notice is no work and no error, but is why a run failed that was cut off while it waited', () => {
  const retry = { type: 'system', subtype: 'api_retry', attempt: 3, error_status: 429, error: 'rate_limit' };
  const killed: Ending = { kind: 'stopped', by: 'idle', forced: false };
  expect(read([init, retry], killed)).toMatchObject({ outcome: 'rate_limited', retries: 1 });
  expect(read([init, retry, assistantText('m1', 'Hi.')], killed).outcome).toBe('interrupted');
  expect(read([init, { ...retry, error_status: null, error: 'unknown' }], killed).outcome).toBe('interrupted');
});

test('A083: a plan’s limit is distinguished from a rate limit, and its reset comes from the event, not the message', () => {
  const info = { status: 'rejected', resetsAt: 1_794_784_264 };
  const notice = assistantText('x', 'New words · resets 1am (UTC)', { error: 'rate_limit' });
  const end = { ...apiError, api_error_status: 429, result: 'New words · resets 1am (UTC)' };
  const reading = read([init, { type: 'rate_limit_event', rate_limit_info: info }, notice, end], badly);
  expect(reading).toMatchObject({ outcome: 'usage_limited', resetAt: '2026-11-15T23:11:04.000Z', lastMessage: '' });
});

test.each([
  ["You've hit your 5-hour limit · resets 11:11pm (UTC)", '2026-11-15T23:11:00.000Z'],
  ["You've hit your limit · resets 3am (America/New_York)", '2026-11-16T08:00:00.000Z'],
  ["You've hit your weekly limit · resets Nov 20, 3pm (Europe/Paris)", '2026-11-20T14:00:00.000Z'],
  ["You've hit your limit · resets 3am (Nowhere/Atall)", undefined],
  ["You've hit your limit", undefined],
])('A083: without an event, the message "%s" reveals when the limit is over', (sentence, resetAt) => {
  const reading = read([init, { ...apiError, api_error_status: 429, result: sentence }], badly);
  expect(reading.outcome).toBe('usage_limited');
  expect(reading.resetAt).toBe(resetAt);
});

test('A083: a warning about a limit, or a limit that was overcome, sets no reset', () => {
  const info = (status: string) => ({ type: 'rate_limit_event', rate_limit_info: { status, resetsAt: 1_794_784_264 } });
  expect(read([init, info('allowed_warning'), assistantText('m1', 'Done.'), success]).resetAt).toBeUndefined();
  expect(read([init, info('rejected'), assistantText('m1', 'Done.'), success])).not.toHaveProperty('resetAt');
  const later = { ...apiError, api_error_status: 429, result: 'Slow down' };
  expect(read([init, info('rejected'), assistantText('m1', 'Hi.'), later], badly).outcome).toBe('rate_limited');
  const paid = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', isUsingOverage: true } };
  expect(read([init, paid, later], badly).outcome).toBe('rate_limited');
});

test('A083: what the assistant writes about limits and errors means nothing', () => {
  const words = 'API Error: 429 rate limit. Invalid API key. Prompt is too long. Credit balance is too low.';
  expect(read([init, assistantText('m1', words), { ...success, result: words }]).outcome).toBe('completed');
});

test('A083: the stream’s own code for an error counts where the result has none', () => {
  const end = { ...apiError, api_error_status: 400, result: 'API Error: 400' };
  expect(read([init, assistantText('x', 'API Error: 400', { error: 'billing_error' }), end], badly).outcome).toBe(
    'billing',
  );
  expect(read([init, { type: 'system', subtype: 'model_refusal_no_fallback' }, end], badly).outcome).toBe('refused');
});

test('A083: notices that Claude Code prints as messages of the assistant are not the assistant’s text', () => {
  const notice = (more: object) => ({
    type: 'assistant',
    message: { id: 'x', model: '<synthetic>', content: [{ type: 'text', text: '<promise>DONE</promise>' }] },
    ...more,
  });
  expect(read([init, assistantText('m1', 'Hi.'), notice({})]).text).toBe('Hi.');
  const reading = read([init, notice({ is_api_error_message: true, api_error_status: 500 })], badly);
  expect(reading).toMatchObject({ outcome: 'transient', text: '' });
});

test('A083: an error of a subagent does not end the run', () => {
  const trouble = assistantText('x', 'API Error: 500', { error: 'server_error', parent_tool_use_id: 't1' });
  expect(read([init, trouble], { kind: 'signalled', signal: 'SIGKILL' }).outcome).toBe('interrupted');
});

test('A083: denied tools are named once each, a shell command with what it would have run', () => {
  const use = (id: string, command: string) => ({
    type: 'assistant',
    message: { id: `m-${id}`, content: [{ type: 'tool_use', id, name: 'Bash', input: { command } }] },
  });
  const deny = (id: string, tool: string) => ({
    type: 'system',
    subtype: 'permission_denied',
    tool_name: tool,
    tool_use_id: id,
  });
  const calls = [use('a', 'npm test'), deny('a', 'Bash'), use('b', 'npm test'), deny('b', 'Bash'), deny('c', 'Write')];
  const late = { tool_name: 'Bash', tool_use_id: 'd', tool_input: { command: 'make' } };
  const reading = read([init, ...calls, { ...success, permission_denials: [late] }]);
  expect(reading.permissionDenials).toBe(4);
  expect(reading.deniedTools).toEqual(['Bash(npm test)', 'Write', 'Bash(make)']);
});

test('A083: a denied tool counts once, whether it is reported by an event, by the result or by both', () => {
  const denial = { tool_name: 'Write', tool_use_id: 't1' };
  const both = [
    { type: 'system', subtype: 'permission_denied', ...denial },
    { ...success, permission_denials: [denial] },
  ];
  expect(read([init, ...both]).permissionDenials).toBe(1);
  expect(read([init, { ...success, permission_denials: [denial, { tool_name: 'Bash' }] }]).permissionDenials).toBe(2);
});

test('A083: background work that is still going on at the result is left, work that is over is not', () => {
  const task = (subtype: string, fields: object) => ({ type: 'system', subtype, task_id: 'b1', ...fields });
  const started = task('task_started', { is_backgrounded: true });
  const inTool = { type: 'user', message: { content: [] }, tool_use_result: { backgroundTaskId: 'b1' } };
  expect(read([init, started, inTool, success]).backgroundLeft).toBe(1);
  expect(read([init, started, inTool, success]).events).toBe(read([init, started, success]).events);
  expect(read([init, inTool, success, task('task_notification', { status: 'stopped' })]).backgroundLeft).toBe(1);
  expect(read([init, started, task('task_updated', { patch: { status: 'killed' } }), success]).backgroundLeft).toBe(0);
  expect(read([init, started, task('background_tasks_changed', { tasks: [] }), success]).backgroundLeft).toBe(0);
  expect(read([init, task('task_started', { is_backgrounded: false }), success]).backgroundLeft).toBe(0);
});

test('A083, B134: the first result ends the run, and what follows it changes nothing', () => {
  const more = [init, assistantText('m9', 'More.'), { ...success, result: 'More.', total_cost_usd: 5 }];
  const reading = read([init, assistantText('m1', 'Done.'), success, ...more]);
  expect(reading).toMatchObject({ outcome: 'completed', lastMessage: 'Done.', text: 'Done.' });
  expect(reading.costUsd).toBeUndefined();
});

test('A083: unknown events are counted, uninteresting ones are not, and neither changes anything', () => {
  const odd = [{ type: 'tomorrow' }, { type: 'system', subtype: 'tomorrow' }, 7, {}, 'plain words'];
  const reading = read([init, ...odd, { type: 'system', subtype: 'status' }, success]);
  expect(reading).toMatchObject({ outcome: 'completed', unrecognised: 5 });
});

test('A083: fields that are missing or of another type are treated as unknown, and nothing breaks', () => {
  const broken = [
    { type: 'assistant' },
    { type: 'assistant', message: { content: 'text', usage: [], model: 3 } },
    { type: 'user', message: null },
    { type: 'stream_event', event: 'x' },
    { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 'soon' } },
    { type: 'system', subtype: 'background_tasks_changed', tasks: { a: 1 } },
    { type: 'result', is_error: 'yes', usage: 'none', modelUsage: [1], permission_denials: 'no', errors: {} },
  ];
  const reading = read(broken, badly);
  expect(reading.outcome).toBe('unknown');
  expect(reading.usage).toBeUndefined();
});

test.each([
  ["error: unknown option '--no-such-flag'", 'configuration'],
  ['--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons', 'configuration'],
  ['Error: Session ID 1 is already in use.', 'configuration'],
  ['Error: ENOSPC: no space left on device', 'unknown'],
  ['TypeError: x is not a function\n    at main (cli.js:1:1)', 'unknown'],
  ['', 'unknown'],
])(
  'A083: a run that printed nothing and failed with "%s" has the outcome that its stderr states',
  (stderr, outcome) => {
    expect(read([], badly, stderr).outcome).toBe(outcome);
  },
);

test('A083: a failed exit alone proves nothing once the stream has begun, and neither does a good one', () => {
  expect(read([init, assistantText('m1', 'Hi.')], badly, 'error: unknown option').outcome).toBe('unknown');
  expect(read([init, assistantText('m1', 'Hi.')], well).outcome).toBe('interrupted');
  expect(read([], well).outcome).toBe('unknown');
  expect(read([], { kind: 'exited', code: 143 }).outcome).toBe('interrupted');
});

test('A083: an answer in plain text counts when the program ended well, and its error message only when it did not', () => {
  expect(read(['Rate limit reached in my tests.'], well)).toMatchObject({
    outcome: 'completed',
    lastMessage: 'Rate limit reached in my tests.',
  });
  expect(read(['API Error: Request rejected (429) · rate limit'], badly).outcome).toBe('rate_limited');
  expect(read(['Error: Reached max turns (3)'], badly).outcome).toBe('turn_limit');
  expect(read(['Something odd'], badly).outcome).toBe('unknown');
});
