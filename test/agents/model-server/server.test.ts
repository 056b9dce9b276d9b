import { expect, onTestFinished, test } from 'vitest';
import type { Place } from './address.ts';
import { type ModelServer, startModelServer } from './server.ts';

const tools = [{ name: 'Write' }, { name: 'Bash' }];
const asked = { model: 'm', messages: [{ role: 'user', content: 'Go on.' }], tools };

test('an answer is streamed in pieces that split the promise, and returned whole without streaming', async () => {
  const server = await startServer();
  const streamed = await (await post(server, text, '/v1/messages', { ...asked, stream: true })).text();
  expect(streamed).not.toContain('<promise>DONE</promise>');
  expect(joined(streamed, /"text_delta","text":"((?:[^"\\]|\\.)*)"/gu)).toBe(
    String.raw`Everything is done.\n\n<promise>DONE</promise>`,
  );
  const whole = (await (await post(server, text, '/v1/messages', asked)).json()) as { content: unknown };
  expect(whole.content).toEqual([{ type: 'text', text: 'Everything is done.\n\n<promise>DONE</promise>' }]);
});

test.each([
  ['/v1/messages', asked],
  ['/v1/responses', { input: 'Go on.', tools: [{ type: 'function', name: 'exec_command' }], stream: true }],
  ['/v1/chat/completions', { messages: asked.messages, tools: [{ function: { name: 'write' } }], stream: true }],
  [
    '/v1beta/models/m:streamGenerateContent',
    {
      contents: [{ role: 'user', parts: [{ text: 'Go on.' }] }],
      tools: [{ functionDeclarations: [{ name: 'write_file' }] }],
    },
  ],
])('a file is written by the tools on offer, in the folder of the address: %s', async (path, body) => {
  const server = await startServer();
  const answer = await (await post(server, { scenario: 'write', folder: '/somewhere' }, path, body)).text();
  expect(joined(answer, /(?:arguments|partial_json)": ?"((?:[^"\\]|\\.)*)"/gu) || answer).toContain('/somewhere/done');
  expect(server.asked('/somewhere')).toMatchObject([{ reply: 'tool', conversation: { prompt: 'Go on.' } }]);
});

test('what happens once happens once in each folder', async () => {
  const server = await startServer();
  const statusIn = async (folder: string) =>
    (await post(server, { scenario: 'rate-limit-once', folder }, '/v1/messages', asked)).status;
  expect([await statusIn('/a'), await statusIn('/b'), await statusIn('/a')]).toEqual([429, 429, 200]);
});

test('a stream that breaks off gives its beginning and then an error', async () => {
  const server = await startServer();
  const answer = await post(server, { scenario: 'truncated', folder: '/x' }, '/v1/messages', {
    ...asked,
    stream: true,
  });
  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow('terminated');
});

test('an address without a script is not found', async () => {
  const server = await startServer();
  expect((await fetch(`${server.origin}/v1/models`)).status).toBe(404);
});

const text: Place = { scenario: 'text', folder: '/x' };

async function startServer(): Promise<ModelServer> {
  const server = await startModelServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

async function post(server: ModelServer, place: Place, path: string, body: unknown): Promise<Response> {
  return await fetch(server.addressOf(place) + path, { method: 'POST', body: JSON.stringify(body) });
}

/** All matches of a pattern, joined. */
function joined(stream: string, piece: RegExp): string {
  return [...stream.matchAll(piece)].map(([, found = '']) => found).join('');
}
