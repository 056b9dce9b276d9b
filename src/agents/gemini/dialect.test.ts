import { expect, test } from 'vitest';
import { type AgentReading, createReader } from '../_shared/reader.ts';
import { createGeminiDialect } from './dialect.ts';

const timestamp = '2026-11-15T22:30:00.000Z';
const init = { type: 'init', timestamp, session_id: '2949aa28', model: 'gemini-2.5-pro' };
const assistantText = (content: string) => ({ type: 'message', timestamp, role: 'assistant', content, delta: true });
const stats = { total_tokens: 1549, input_tokens: 1500, output_tokens: 42, cached: 300, input: 1200 };
const done = { type: 'result', timestamp, status: 'success', stats };
const failed = (message: string, type = 'unknown') => ({
  type: 'result',
  timestamp,
  status: 'error',
  error: { type, message },
});

test('A162: the tokens are those of this run, and what came from the cache is not part of the input', () => {
  const reading = read([init, assistantText('Hello'), done]);
  expect(reading.usage).toEqual({ of: 'run', value: { inputTokens: 1200, outputTokens: 42, cacheReadTokens: 300 } });
  expect(reading).toMatchObject({ outcome: 'completed', sessionId: '2949aa28', model: 'gemini-2.5-pro' });
});

test('A162: a failed run whose sums are all 0 was not measured', () => {
  const nothing = { total_tokens: 0, input_tokens: 0, output_tokens: 0 };
  expect(read([init, { ...failed('x'), stats: nothing }]).usage).toBeUndefined();
  expect(read([init, { ...failed('x'), stats }]).usage?.value.inputTokens).toBe(1200);
});

test('A083: a claim that is split over pieces is whole in the last message', () => {
  const reading = read([init, assistantText('Done.\n\n<prom'), assistantText('ise>DONE</promise>'), done]);
  expect(reading.lastMessage).toBe('Done.\n\n<promise>DONE</promise>');
});

test('A083: a tool ends a message, and its output is not the assistant’s text', () => {
  const use = { type: 'tool_use', timestamp, tool_name: 'run_shell_command', tool_id: 't1', parameters: {} };
  const result = {
    type: 'tool_result',
    timestamp,
    tool_id: 't1',
    status: 'success',
    output: '<promise>DONE</promise>',
  };
  const reading = read([init, assistantText('First.'), use, result, assistantText('Second.'), done]);
  expect(reading.lastMessage).toBe('Second.');
  expect(reading.text).toBe('First.\nSecond.');
});

test('A083: the user’s text is not the assistant’s', () => {
  const prompt = { type: 'message', timestamp, role: 'user', content: 'Say <promise>DONE</promise>.' };
  expect(read([init, prompt, assistantText('No.'), done]).text).toBe('No.');
});

test('A083: a warning, such as that of a hook that makes it continue, ends a message and nothing else', () => {
  const warning = { type: 'error', timestamp, severity: 'warning', message: 'Agent execution blocked: not yet' };
  const reading = read([init, assistantText('<promise>DONE</promise>'), warning, assistantText('Going on.'), done]);
  expect(reading).toMatchObject({ outcome: 'completed', lastMessage: 'Going on.' });
});

test('A083: a tool that may not be used is a denied permission, one that failed is not', () => {
  const use = (id: string) => ({ type: 'tool_use', timestamp, tool_name: 'write_file', tool_id: id });
  const result = (id: string, type: string) => ({
    type: 'tool_result',
    timestamp,
    tool_id: id,
    status: 'error',
    error: { type, message: 'no' },
  });
  const reading = read([
    init,
    use('a'),
    result('a', 'execution_denied'),
    use('b'),
    result('b', 'file_not_found'),
    done,
  ]);
  expect(reading.permissionDenials).toBe(1);
});

test('A083: a command in the background is lost at the end', () => {
  const parameters = { command: 'serve', is_background: true };
  const use = { type: 'tool_use', timestamp, tool_name: 'run_shell_command', tool_id: 't1', parameters };
  expect(read([init, use, done]).backgroundLeft).toBe(1);
});

test('A083: "auto" is not a model: the one that did the work is named in the result', () => {
  const models = { router: { total_tokens: 10 }, worker: { total_tokens: 500 }, helper: { total_tokens: 20 } };
  const result = { ...done, stats: { ...stats, models } };
  expect(read([{ ...init, model: 'auto' }, result]).model).toBe('worker');
  expect(read([{ ...init, model: 'auto' }]).model).toBeUndefined();
});

const api = (status: number, code: string, message: string) =>
  `[API Error: ${JSON.stringify({ error: { code: status, message, status: code } })}]`;

test.each([
  ['[API Error: You have exhausted your daily quota on this model.]\nPlease wait', 'usage_limited'],
  ['[API Error: You exceeded your current quota, please check your plan and billing details.]', 'usage_limited'],
  ['[API Error: You exceeded your current quota, see billing details. Please retry in 34.07s.]', 'rate_limited'],
  ['[API Error: Resource has been exhausted (e.g. check quota).]', 'rate_limited'],
  [
    '[API Error: Too much.]\nPlease wait and try again later. To increase your limits, use another /auth method',
    'rate_limited',
  ],
  ['[API Error: The model is overloaded. Please try again later.]', 'rate_limited'],
  [api(503, 'UNAVAILABLE', 'Service unavailable.'), 'transient'],
  [api(500, 'INTERNAL', 'An internal error has occurred.'), 'transient'],
  [api(403, 'PERMISSION_DENIED', 'The caller does not have permission.'), 'auth'],
  [api(400, 'INVALID_ARGUMENT', 'API key expired. Please renew the API key.'), 'auth'],
  [api(400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.'), 'configuration'],
  [api(400, 'INVALID_ARGUMENT', 'The input token count (9) exceeds the maximum number of tokens.'), 'context_overflow'],
  ['[API Error: models/m is not found for API version v1beta.]', 'configuration'],
  ['[API Error: exception TypeError: fetch failed sending request]', 'transient'],
  ['[API Error: terminated]', 'transient'],
  ['[API Error: An unknown error occurred.]', 'unknown'],
] as const)('B117: a run that failed with "%s" is %s', (message, outcome) => {
  expect(read([init, failed(message)]).outcome).toBe(outcome);
});

test('B117: the kind of a failure counts more than its sentence', () => {
  expect(read([init, failed('Reached max session turns', 'FatalTurnLimitedError')]).outcome).toBe('turn_limit');
  expect(read([init, failed('whatever', 'constructor')]).outcome).toBe('unknown');
});

test('B117: the turn limit comes as an error before a result that calls itself a success', () => {
  const error = { type: 'error', timestamp, severity: 'error', message: 'Maximum session turns exceeded' };
  expect(read([init, error, done]).outcome).toBe('turn_limit');
});

test('B117: a failed result without a reason has that of the error before it, else its answer broke off', () => {
  const empty =
    'The model returned an empty text response. If your context window is near capacity, try using /compress.';
  const bare = { type: 'result', timestamp, status: 'error' };
  const error = { type: 'error', timestamp, severity: 'error', message: empty };
  expect(read([init, error, bare], { code: 0 }).outcome).toBe('transient');
  expect(read([init, bare], { code: 0 }).outcome).toBe('transient');
});

test.each([
  ['Suggested retry after 3600s.', '2026-11-15T23:30:00.000Z'],
  ['Your quota will reset after 16h50m17s.', '2026-11-16T15:20:17.000Z'],
  ['Please retry in 900ms.', '2026-11-15T22:30:00.900Z'],
])('B117: a limit with "%s" is over at %s, counted from when it was reported', (words, resetAt) => {
  const reading = read([init, failed(`[API Error: Resource has been exhausted.\n${words}]`)]);
  expect(reading).toMatchObject({ outcome: 'rate_limited', resetAt });
});

test.each([
  ['Unknown arguments: such-flag, suchFlag', 1, 'configuration'],
  ['Error resuming session: No previous sessions found for this project.', 42, 'configuration'],
  ['Gemini CLI is not running in a trusted directory. Use --skip-trust.', 55, 'configuration'],
  ['When using Gemini API, you must specify the GEMINI_API_KEY environment variable.', 41, 'auth'],
  ['Please set an Auth method in your settings.json', 41, 'auth'],
  ['', 0, 'unknown'],
])('B117: without any event, "%s" and exit %i is %s', (stderr, code, outcome) => {
  expect(read([], { stderr, code }).outcome).toBe(outcome);
});

test('B117: a stream without a result was interrupted, even with exit 0, unless stderr is more specific', () => {
  const stderr = 'Reached max session turns for this session. Increase the number of turns.';
  expect(read([init], { code: 0 }).outcome).toBe('interrupted');
  expect(read([init], { code: 53, stderr }).outcome).toBe('turn_limit');
});

test('A083: a single document is read as well, even one that reports an error', () => {
  const models = { m: { tokens: { input: 1200, prompt: 1500, candidates: 42, total: 1549, cached: 300 } } };
  const answer = { session_id: 's', response: 'Hi', stats: { models } };
  const broken = { session_id: 's', response: 'H', error: { type: 'INVALID_STREAM', message: 'x' } };
  expect(readText(JSON.stringify(answer, null, 2))).toMatchObject({
    outcome: 'completed',
    lastMessage: 'Hi',
    model: 'm',
    usage: { value: { inputTokens: 1200, outputTokens: 42, cacheReadTokens: 300 } },
  });
  expect(readText(JSON.stringify(broken, null, 2)).outcome).toBe('transient');
});

test('A083: noise between events is not an answer', () => {
  const noisy = `${JSON.stringify(init)}\n<promise>DONE</promise>\n`;
  expect(readText(noisy)).toMatchObject({ outcome: 'interrupted', lastMessage: '', unrecognised: 1 });
});

interface Run {
  readonly stderr?: string;
  readonly code?: number;
}

function read(events: readonly unknown[], run: Run = {}): AgentReading {
  return readText(events.map((event) => `${JSON.stringify(event)}\n`).join(''), run);
}

function readText(stdout: string, { stderr = '', code = 0 }: Run = {}): AgentReading {
  const reader = createReader(createGeminiDialect());
  reader.push(new TextEncoder().encode(stdout));
  return reader.finish({ stderr, ending: { kind: 'exited', code } });
}

test('B117: an agent that silently waits out its limit has reported the reason on stderr', () => {
  const stderr =
    'Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after 30m0s.. Retrying after 1800000ms...';
  const reader = createReader(createGeminiDialect());
  reader.push(Buffer.from('{"type":"init","timestamp":"2026-11-16T10:00:00.000Z","session_id":"s","model":"m"}\n'));
  const ending = { kind: 'stopped', by: 'idle', forced: false } as const;
  expect(reader.finish({ stderr, ending })).toMatchObject({
    outcome: 'usage_limited',
    resetAt: '2026-11-16T10:30:00.000Z',
  });
});
