import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { type Receiver, respond, startReceiver } from '../../notify/testing/receiver.ts';
import { configSchema, type HookStep, type LoopConfigInput, type LoopHookStep } from '../../protocol/index.ts';
import { attemptContext, attemptFolder } from '../testing/attempt-folder.ts';
import { createHooksPort } from './hooks-port.ts';

type Hook = Partial<NonNullable<LoopConfigInput['hooks']>[number]>;

const context = { ...attemptContext, status: 'pre_hooks' } as const;

/** One hook named a that posts, in a folder of its own. */
function prepare({ url }: Receiver, hook: Hook = {}, env: Record<string, string> = {}) {
  const folder = attemptFolder();
  const config = configSchema.parse({ hooks: [{ name: 'a', at: ['pre_iteration'], url: `${url}/hook`, ...hook }] });
  const { place } = folder;
  const port = createHooksPort({ config, ...place, env: { ...place.env, ...env } });
  const run = async (point: HookStep | LoopHookStep = 'pre_iteration', signals = folder.idle) => {
    const hooks = [{ name: 'a', point }];
    const of = { iteration: 3, attempt: 2 };
    return await port.run({ of, point, hooks, context, data: { before: 'x' }, isRepeat: false }, signals);
  };
  return { ...folder, run };
}

function reply(text: string) {
  return (response: ServerResponse): void => void response.end(text);
}

test('B072: a hook with an address posts what a command gets on stdin, signed, and its answer counts as a reply', async () => {
  const receiver = await startReceiver(reply('{"data":{"ticket":7},"prompt":"mind the gap"}'));
  const { run } = prepare(receiver, { secret: 'env:HOOK_KEY' }, { HOOK_KEY: 'very-secret-key' });
  expect(await run()).toMatchObject({
    results: [{ name: 'a', ok: true, output: '{"data":{"ticket":7},"prompt":"mind the gap"}' }],
    data: { ticket: '7' },
    prompt: 'mind the gap',
  });
  const [request] = receiver.requests;
  expect(request).toMatchObject({ method: 'POST', path: '/hook' });
  expect(JSON.parse(request?.body ?? '')).toEqual({
    hook: 'a',
    point: 'pre_iteration',
    ...context,
    data: { before: 'x' },
  });
  const { headers = {} } = request ?? {};
  const signed = createHmac('sha256', 'very-secret-key').update(
    `${String(headers['x-ralphd-timestamp'])}.${request?.body}`,
  );
  expect(headers['x-ralphd-signature']).toBe(`sha256=${signed.digest('hex')}`);
  expect(headers['x-ralphd-delivery']).toBe('ralph-x-a1b2c3d4/3/2/pre_iteration/a');
});

test('B070: an address may ask the loop to stop', async () => {
  const receiver = await startReceiver(reply('{"continue":false,"reason":"freeze"}'));
  expect(await prepare(receiver).run()).toMatchObject({ stop: { hook: 'a', reason: 'freeze' } });
});

test.each<[string, (response: ServerResponse) => void, string]>([
  ['answers with an error', respond(500), 'it answered with HTTP 500'],
  ['sends elsewhere', respond(302, { location: 'http://127.0.0.1:1/' }), 'it answered with a redirect (HTTP 302)'],
  ['answers nonsense', reply('{"continue":"no"}'), '"continue" in its reply must be true or false'],
  [
    'answers without end',
    (response) => void response.end('x'.repeat(300_000)),
    'it answered with more than 262144 bytes',
  ],
  ['hangs up', (response) => void response.destroy(), 'it cannot be reached ('],
])('B072: a hook whose address %s has failed', async (_case, answer, error) => {
  const receiver = await startReceiver(answer);
  const outcome = await prepare(receiver, { fatal: true }).run();
  expect(outcome?.results).toMatchObject([{ ok: false, fatal: true, error: expect.stringContaining(error) }]);
  expect(receiver.requests).toHaveLength(1);
});

test.each<[string, (response: ServerResponse) => void]>([
  ['never answers', () => {}],
  ['never stops answering', (response) => void response.write('{')],
])('a receiver that %s holds the loop up no longer than its timeout', async (_case, answer) => {
  const outcome = await prepare(await startReceiver(answer), { timeout: '200ms' }).run();
  expect(outcome?.results[0]).toMatchObject({ ok: false, error: 'it was ended because it took longer than 200ms' });
  expect(outcome?.results[0]?.durationMs).toBeLessThan(5_000);
});

test('A048: an interrupt ends a call at once, and none is made after it', async () => {
  const receiver = await startReceiver(() => {});
  const { run, idle } = prepare(receiver);
  const stop = new AbortController();
  const running = run('pre_iteration', { ...idle, signal: stop.signal });
  await expect.poll(() => receiver.requests.length).toBe(1);
  stop.abort();
  expect(await running).toBeUndefined();
  expect(await run('pre_iteration', { ...idle, kill: AbortSignal.abort() })).toBeUndefined();
  expect(receiver.requests).toHaveLength(1);
});

test('the address and the key are read before the agent runs: a file that it changes later has no effect', async () => {
  const receiver = await startReceiver(reply('fine'));
  const folder = attemptFolder();
  folder.write('address', `${receiver.url}/right\n`);
  const config = configSchema.parse({ hooks: [{ name: 'a', at: ['pre_iteration'], url: 'file:address' }] });
  const port = createHooksPort({ config, ...folder.place });
  folder.write('address', 'http://127.0.0.1:1/wrong');
  const task = {
    point: 'loop_start',
    hooks: [{ name: 'a', point: 'loop_start' }],
    context,
    data: {},
    isRepeat: false,
  } as const;
  expect(await port.run({ ...task, step: 4 }, folder.idle)).toMatchObject({ results: [{ ok: true, output: 'fine' }] });
  expect(receiver.requests[0]).toMatchObject({ path: '/right' });
  expect(receiver.requests[0]?.headers['x-ralphd-delivery']).toBe('ralph-x-a1b2c3d4/step/4/loop_start/a');
});
