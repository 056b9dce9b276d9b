import { describe, expect, test } from 'vitest';
import { createReader, type StreamDialect } from './_shared/reader.ts';
import { createAcpDialect } from './acp/dialect.ts';
import { createClaudeDialect } from './claude/dialect.ts';
import { createCodexDialect } from './codex/dialect.ts';
import { createCopilotDialect } from './copilot/dialect.ts';
import { createGeminiDialect } from './gemini/dialect.ts';
import { createOpenCodeDialect } from './opencode/dialect.ts';

const now = () => new Date('2026-11-17T12:00:00.000Z');
const claude = () => createClaudeDialect({ now });

function read(dialect: StreamDialect, stdout: string, run: { readonly stderr?: string; readonly code?: number } = {}) {
  const reader = createReader(dialect);
  reader.push(Buffer.from(stdout));
  return reader.finish({ stderr: run.stderr ?? '', ending: { kind: 'exited', code: run.code ?? 0 } });
}

const json = (...events: readonly object[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
const result = { type: 'result', subtype: 'success', is_error: false, result: 'Done.', session_id: 's' };

test('A083: a result over several lines, with a byte order mark and Windows line ends, is read like one on a single line', () => {
  const expected = read(claude(), json(result));
  expect(expected).toMatchObject({ outcome: 'completed', lastMessage: 'Done.', sessionId: 's' });
  const pretty = JSON.stringify(result, undefined, 2);
  for (const text of [
    pretty,
    `\ufeff${JSON.stringify(result)}`,
    pretty.replaceAll('\n', '\r\n'),
    `[\n${pretty.replaceAll(/^/gm, '  ')}\n]`,
  ]) {
    expect(read(claude(), `${text}\n`)).toMatchObject({ outcome: 'completed', lastMessage: 'Done.', sessionId: 's' });
  }
});

test('A083: a line that opens a value and never closes it hides none of the events after it', () => {
  expect(read(claude(), `{\n${json(result)}}\n`)).toMatchObject({ outcome: 'completed', sessionId: 's' });
});

describe('A083: a stream that breaks off within its first event is no answer', () => {
  test.each([
    ['claude', claude],
    ['codex', createCodexDialect],
    ['gemini', createGeminiDialect],
    ['opencode', createOpenCodeDialect],
    ['copilot', createCopilotDialect],
    ['acp', createAcpDialect],
  ] as const)('%s', (_name, create) => {
    expect(read(create(), '{"type":"result","subtype":"succ').outcome).not.toBe('completed');
  });
});

test.each([
  ['an epoch in seconds', 1_800_000_000],
  ['an epoch in milliseconds', 1_800_000_000_000],
  ['an epoch as text', '1800000000'],
  ['a date', '2027-01-15T08:00:00Z'],
  ['a date with an offset', '2027-01-15T09:00:00+01:00'],
])('A083: the reset of a limit may be %s', (_form, resetsAt) => {
  const stream = json(
    { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt } },
    { ...result, is_error: true, api_error_status: 429, result: 'You have hit your limit' },
  );
  expect(read(claude(), stream, { code: 1 })).toMatchObject({
    outcome: 'usage_limited',
    resetAt: '2027-01-15T08:00:00.000Z',
  });
});

test.each([
  ['Claude AI usage limit reached|1800000000', '2027-01-15T08:00:00.000Z'],
  ["You've hit your limit · resets 3pm (UTC)", '2026-11-17T15:00:00.000Z'],
  ['5-hour limit reached ∙ resets 15:30 (UTC)', '2026-11-17T15:30:00.000Z'],
  ['Weekly limit reached ∙ resets Nov 20 at 5pm (Europe/Paris)', '2026-11-20T16:00:00.000Z'],
  ['Claude usage limit reached. Your limit will reset at 1am (America/New_York).', '2026-11-18T06:00:00.000Z'],
])('A083: "%s" is a limit of the plan, and reveals when it is over', (words, resetAt) => {
  const stream = json({ ...result, is_error: true, result: words });
  expect(read(claude(), stream, { code: 1 })).toMatchObject({ outcome: 'usage_limited', resetAt });
});

test('A083: an answer that only mentions a limit is not limited', () => {
  const stream = json({ ...result, result: 'Claude AI usage limit reached|1800000000' });
  expect(read(claude(), stream)).toMatchObject({ outcome: 'completed' });
  expect(read(claude(), stream).resetAt).toBeUndefined();
});

test("A083: a provider's own error in the stream decides the outcome where no result follows", () => {
  const error = { type: 'error', error: { type: 'rate_limit_error', message: 'slow down', retry_after: 60 } };
  expect(read(claude(), json({ type: 'system', subtype: 'init' }, error), { code: 1 })).toMatchObject({
    outcome: 'rate_limited',
    message: 'slow down',
    resetAt: '2026-11-17T12:01:00.000Z',
  });
});

test.each([
  [{ 'Retry-After': '90' }, '2026-11-17T12:01:30.000Z'],
  [{ 'retry-after': 'Tue, 17 Nov 2026 13:00:00 GMT' }, '2026-11-17T13:00:00.000Z'],
  [{ 'retry-after-ms': '1500' }, '2026-11-17T12:00:01.500Z'],
  [{ 'anthropic-ratelimit-unified-reset': '1800000000' }, '2027-01-15T08:00:00.000Z'],
])('A083: headers state when to try again: %j', (responseHeaders, resetAt) => {
  const error = { name: 'APIError', data: { message: 'Too many requests', statusCode: 429, responseHeaders } };
  const stream = json({ type: 'error', timestamp: now().getTime(), sessionID: 's', error });
  expect(read(createOpenCodeDialect(), stream, { code: 1 })).toMatchObject({ outcome: 'rate_limited', resetAt });
});

test('A083: stderr with the line ends of Windows is read like any other', () => {
  const stderr = `${JSON.stringify({ error: { type: 'FatalTurnLimitedError', message: 'turns' } }, undefined, 2)}\n`;
  for (const text of [stderr, stderr.replaceAll('\n', '\r\n')]) {
    expect(read(createGeminiDialect(), '', { stderr: text, code: 53 }).outcome).toBe('turn_limit');
  }
});

test('B116: reported tool uses are counted; a bare result does not report them, which is not 0', () => {
  const init = { type: 'system', subtype: 'init', session_id: 's', model: 'm' };
  const use = (id: string) => ({
    type: 'assistant',
    message: { id, content: [{ type: 'tool_use', id, name: 'Bash' }] },
  });
  const reader = createReader(claude());
  expect(reader.used()).toEqual({});
  reader.push(Buffer.from(json(init, use('a'))));
  expect(reader.used()).toMatchObject({ counted: { toolCalls: 1 } });
  reader.push(Buffer.from(json({ ...use('b'), parent_tool_use_id: 'a' }, result)));
  expect(reader.finish({ stderr: '', ending: { kind: 'exited', code: 0 } }).counted?.toolCalls).toBe(2);
  expect(read(claude(), json(init, result)).counted?.toolCalls).toBe(0);
  expect(read(claude(), json(result))).not.toHaveProperty('counted');
  expect(read(claude(), '')).not.toHaveProperty('counted');
});

test('a run ended because its requests are permanently rejected failed for that reason, whatever it printed last', () => {
  const retry = { type: 'system', subtype: 'api_retry', attempt: 1, error_status: 401, error: 'authentication_failed' };
  const interrupted = { ...result, is_error: true, terminal_reason: 'aborted_streaming' };
  const reader = createReader(claude());
  reader.push(Buffer.from(json(retry, retry)));
  expect(reader.rejection).toEqual({ outcome: 'auth', why: 'authentication_failed (401)', notices: 2 });
  reader.push(Buffer.from(json({ type: 'system', subtype: 'status' })));
  expect(reader.rejection).toMatchObject({ notices: 2 });
  const ending = { kind: 'stopped', by: 'rejected', forced: false } as const;
  expect(reader.finish({ stderr: '', ending })).toMatchObject({
    outcome: 'auth',
    message: 'The provider rejects every request: authentication_failed (401)',
  });
  const recovered = createReader(claude());
  recovered.push(Buffer.from(json(retry, { type: 'assistant', message: { id: 'm', content: [] } }, interrupted)));
  expect(recovered.rejection).toBeUndefined();
});

test('B062: API calls are counted once each, retries and those of subagents too, by agents that show them', () => {
  const said = (id: string, more: object = {}) => ({ type: 'assistant', message: { id, content: [] }, ...more });
  const retry = { type: 'system', subtype: 'api_retry', attempt: 1, error_status: 529, error: 'overloaded' };
  const stream = json(said('a'), said('a'), retry, said('b'), said('c', { parent_tool_use_id: 't' }), result);
  expect(read(claude(), stream).counted?.apiCalls).toBe(4);
  const step = (session: string) => ({ type: 'step_start', sessionID: 's', part: { sessionID: session } });
  const text = { type: 'text', sessionID: 's', part: { text: 'Done.', id: 'p' } };
  expect(read(createOpenCodeDialect(), json(step('s'), step('sub'), step('s'), text)).counted?.apiCalls).toBe(3);
  const codex = json({ type: 'thread.started', thread_id: 's' }, { type: 'turn.started' }, { type: 'turn.completed' });
  expect(read(createCodexDialect({ now }), codex).counted).toEqual({ toolCalls: 0 });
});
