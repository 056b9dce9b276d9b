import { createHmac } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Message, testMessage } from '../core/index.ts';
import { type ChannelConfigInput, configSchema } from '../protocol/index.ts';
import type { Delivery, SenderPlace } from './delivery.ts';
import { send } from './sender.ts';
import { startNtfy } from './testing/ntfy.ts';
import { respond, startReceiver } from './testing/receiver.ts';

const message: Message = {
  ...testMessage('2026-11-18T10:00:00.000Z', '/work'),
  id: 'fix-7',
  loopId: 'fix',
  trigger: 'attention',
  triggers: ['attention'],
  priority: 'critical',
  title: 'fix: needs attention',
  text: 'Größe <b> & "quotes" $(touch hacked) @everyone',
};

function folder(): string {
  const place = mkdtempSync(path.join(tmpdir(), 'ralphd-notify-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  return place;
}

async function sendBy(channel: ChannelConfigInput, more: Partial<SenderPlace> = {}, sent = message): Promise<Delivery> {
  const [config] = configSchema.parse({ notify: [channel] }).notify;
  if (config === undefined) throw new TypeError('no channel');
  const place = { env: {}, cwd: tmpdir(), retryDelaysMs: [0, 0], ...more };
  return await send(config, sent, { place, signal: new AbortController().signal });
}

test('B075: a webhook gets the message as JSON with a signature over time and body', async () => {
  const { url, requests } = await startReceiver(respond(204));
  const env = { HOOK_KEY: 'correct horse battery' };
  expect(await sendBy({ type: 'webhook', url: `${url}/hook`, secret: 'env:HOOK_KEY' }, { env })).toEqual({ ok: true });

  const { path: where, headers, body } = requests[0] ?? { method: '', path: '', headers: {}, body: '{}' };
  expect(where).toBe('/hook');
  expect(JSON.parse(body)).toEqual({ version: 1, ...message });
  expect(headers['x-ralphd-delivery']).toBe('fix-7');
  const signed = `${headers['x-ralphd-timestamp'] as string}.${body}`;
  const expected = createHmac('sha256', env.HOOK_KEY).update(signed).digest('hex');
  expect(headers['x-ralphd-signature']).toBe(`sha256=${expected}`);
  expect(body).not.toContain(env.HOOK_KEY);
});

test('a webhook without a key is not signed', async () => {
  const { url, requests } = await startReceiver(respond(200));
  await sendBy({ type: 'webhook', url });
  expect(requests[0]?.headers['x-ralphd-signature']).toBeUndefined();
});

test('a receiver that fails at first gets the same message again', async () => {
  const { url, requests } = await startReceiver((response, number) => respond(number < 3 ? 500 : 200)(response));
  expect(await sendBy({ type: 'webhook', url })).toEqual({ ok: true });
  expect(requests.map(({ headers }) => headers['x-ralphd-delivery'])).toEqual(['fix-7', 'fix-7', 'fix-7']);
});

test('a receiver that always fails is tried a bounded number of times', async () => {
  const { url, requests } = await startReceiver(respond(503));
  expect(await sendBy({ type: 'webhook', url })).toEqual({ ok: false, why: 'it answered with HTTP 503' });
  expect(requests).toHaveLength(3);
});

test('a receiver that refuses a message is not asked again', async () => {
  const { url, requests } = await startReceiver(respond(403));
  expect(await sendBy({ type: 'webhook', url })).toEqual({ ok: false, why: 'it answered with HTTP 403' });
  expect(requests).toHaveLength(1);
});

test('a redirect is not followed', async () => {
  const elsewhere = await startReceiver(respond(200));
  const { url } = await startReceiver(respond(307, { location: elsewhere.url }));
  const why = 'it answered with a redirect (HTTP 307), which is not followed';
  expect(await sendBy({ type: 'webhook', url })).toEqual({ ok: false, why });
  expect(elsewhere.requests).toEqual([]);
});

test('a receiver that never answers is given up at the time limit', async () => {
  const { url, requests } = await startReceiver(() => {});
  expect(await sendBy({ type: 'webhook', url, timeout: '100ms' })).toEqual({
    ok: false,
    why: 'it did not answer in time',
  });
  expect(requests).toHaveLength(1);
});

test('a receiver that cannot be reached is reported without its address', async () => {
  const env = { HOOK: 'http://127.0.0.1:1/secret-path' };
  const why = expect.stringMatching(/^it cannot be reached \([\w ]+\)$/);
  expect(await sendBy({ type: 'webhook', url: 'env:HOOK' }, { env })).toEqual({ ok: false, why });
});

test('B074: ntfy gets topic, title and priority, and the token as a header', async () => {
  const { url, requests } = await startReceiver(respond(200));
  const env = { NTFY_TOKEN: 'tk_0123456789' };
  await sendBy({ type: 'ntfy', url: `${url}/loops`, token: 'env:NTFY_TOKEN' }, { env });
  expect(requests[0]?.headers.authorization).toBe('Bearer tk_0123456789');
  expect(requests[0]?.path).toBe('/');
  const { title, text } = message;
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ topic: 'loops', title, message: text, priority: 5 });
});

test('B074: Slack gets escaped text', async () => {
  const { url, requests } = await startReceiver(respond(200));
  await sendBy({ type: 'slack', url: 'env:SLACK' }, { env: { SLACK: `${url}/services/x` } });
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
    text: '*fix: needs attention*\nGröße &lt;b&gt; &amp; "quotes" $(touch hacked) @everyone',
  });
});

test('B074: Discord gets a text that mentions nobody, and a silent one in quiet hours', async () => {
  const { url, requests } = await startReceiver(respond(204));
  const place = folder();
  writeFileSync(path.join(place, 'url'), `${url}/api\n`);
  await sendBy({ type: 'discord', url: 'file:url' }, { cwd: place }, { ...message, isSilent: true });
  expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ allowed_mentions: { parse: [] }, flags: 4096 });
});

test('B074: a command gets the message on stdin and in variables, and no shell reads its text', async () => {
  const place = folder();
  const run = 'cat > input; echo "$RALPHD_NOTIFY_TRIGGER $RALPHD_NOTIFY_PRIORITY $RALPHD_NOTIFY_TEXT" > env';
  expect(await sendBy({ type: 'command', run }, { cwd: place, env: { PATH: '/usr/bin:/bin' } })).toEqual({ ok: true });
  expect(JSON.parse(readFileSync(path.join(place, 'input'), 'utf8'))).toEqual({ version: 1, ...message });
  expect(readFileSync(path.join(place, 'env'), 'utf8')).toBe(`attention critical ${message.text}\n`);
});

test('a command that fails or hangs is reported', async () => {
  const env = { PATH: '/usr/bin:/bin' };
  expect(await sendBy({ type: 'command', run: 'exit 3' }, { env })).toEqual({
    ok: false,
    why: 'it exited with code 3',
  });
  const hangs = await sendBy({ type: 'command', run: 'sleep 60', timeout: '100ms' }, { env });
  expect(hangs).toEqual({ ok: false, why: 'it did not finish in time' });
});

function standIn(place: string, name: string): string {
  const bin = path.join(place, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(path.join(bin, name), `#!/bin/sh\nfor arg in "$@"; do printf '%s|' "$arg"; done > ${place}/shown\n`);
  chmodSync(path.join(bin, name), 0o755);
  return `${bin}:/usr/bin:/bin`;
}

test('B074: the desktop shows the message with notify-send', async () => {
  const place = folder();
  expect(await sendBy({ type: 'desktop' }, { env: { PATH: standIn(place, 'notify-send') } })).toEqual({ ok: true });
  const { title, text } = message;
  expect(readFileSync(path.join(place, 'shown'), 'utf8')).toBe(`-a|ralphd|-u|critical|--|${title}|${text}|`);
});

test('B074: the desktop shows the message with osascript, which gets the texts as arguments', async () => {
  const place = folder();
  const PATH = standIn(place, 'osascript').split(':')[0];
  expect(await sendBy({ type: 'desktop' }, { env: { PATH: `${PATH}` } })).toEqual({ ok: true });
  expect(readFileSync(path.join(place, 'shown'), 'utf8')).toMatch(/^-e\|on run [^|]*\|fix: needs attention\|Größe/);
});

test('without a desktop tool the bell rings; without a terminal the channel fails', async () => {
  let rings = 0;
  expect(await sendBy({ type: 'desktop' }, { bell: () => (rings += 1) })).toEqual({ ok: true });
  expect(rings).toBe(1);
  const why = 'neither notify-send nor osascript is on the PATH';
  expect(await sendBy({ type: 'desktop' })).toEqual({ ok: false, why });
});

test('ntfy accepts every message as its documentation describes it, also a long one beyond ASCII', async () => {
  const { url, published, refusals } = await startNtfy('tk_secret');
  const env = { NTFY_TOKEN: 'tk_secret' };
  const channel: ChannelConfigInput = { type: 'ntfy', url: `${url}/my-topic_1`, token: 'env:NTFY_TOKEN' };
  for (const priority of ['low', 'normal', 'high', 'critical'] as const) {
    expect(await sendBy(channel, { env }, { ...message, priority })).toEqual({ ok: true });
  }
  expect(await sendBy(channel, { env }, { ...message, isSilent: true, text: '😀'.repeat(1_500) })).toEqual({
    ok: true,
  });
  expect(refusals).toEqual([]);
  expect(published.map(({ priority }) => priority)).toEqual([2, 3, 4, 5, 1]);
  expect(published[0]).toMatchObject({ topic: 'my-topic_1', title: message.title, message: message.text });
  expect(published[4]?.message).toMatch(/^(😀)+…$/u);
});

test.each<[string, string | undefined, string, number, string]>([
  ['no token', undefined, 'topic', 40_301, 'it answered with HTTP 403'],
  ['a wrong token', 'tk_wrong!', 'topic', 40_101, 'it answered with HTTP 401'],
  ['a topic that is none', 'tk_secret', 'no%20topic', 40_009, 'it answered with HTTP 400'],
])('ntfy refuses %s, and that is reported and not tried again', async (_case, token, topic, code, why) => {
  const { url, refusals } = await startNtfy('tk_secret');
  const withToken = token === undefined ? {} : { token: 'env:NTFY_TOKEN' };
  const env = { NTFY_TOKEN: token };
  expect(await sendBy({ type: 'ntfy', url: `${url}/${topic}`, ...withToken }, { env })).toEqual({ ok: false, why });
  expect(refusals).toEqual([code]);
});

test('a log that has grown long is kept beside a new one, which replaces the one kept before', async () => {
  const cwd = folder();
  const file = path.join(cwd, 'notices.log');
  writeFileSync(file, `${'x'.repeat(1024 * 1024)}\n`);
  writeFileSync(`${file}.1`, 'older\n');
  for (let count = 0; count < 2; count += 1) await sendBy({ type: 'log', path: 'notices.log' }, { cwd });
  expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(2);
  expect(readFileSync(`${file}.1`, 'utf8')).toMatch(/^x+\n$/);
});

test('B074: a log file gets one line of JSON for each message', async () => {
  const place = folder();
  await sendBy({ type: 'log', path: 'notices.log' }, { cwd: place });
  await sendBy({ type: 'log', path: 'notices.log' }, { cwd: place });
  const lines = readFileSync(path.join(place, 'notices.log'), 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as Message).id)).toEqual(['fix-7', 'fix-7']);
  expect((await sendBy({ type: 'log', path: 'no/such/folder' }, { cwd: place })).ok).toBe(false);
});

test.each<[string, ChannelConfigInput, string]>([
  ['a variable', { type: 'slack', url: 'env:MISSING' }, 'the variable MISSING is not set'],
  ['a file', { type: 'slack', url: 'file:none' }, 'the file none is missing, unreadable or empty'],
  ['a URL', { type: 'slack', url: 'env:WORD' }, 'env:WORD does not hold an http or https URL'],
])('%s that does not hold what a channel needs is named, not shown', async (_case, channel, why) => {
  expect(await sendBy(channel, { env: { WORD: 'hunter2hunter2' } })).toEqual({ ok: false, why });
});
