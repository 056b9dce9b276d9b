import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { respond, startReceiver } from '../../notify/testing/receiver.ts';
import { type CommandLine, createCommandLine } from '../testing/command-line.ts';

const run = ['run', 'Make it work', '--agent-command', './agent.sh', '--verify', './check.sh', '--loop-id', 'fix'];

interface Sent {
  readonly trigger: string;
  readonly loopId: string;
  readonly title: string;
  readonly text: string;
  readonly status: string;
}

function parse(body: string): Sent {
  return JSON.parse(body) as Sent;
}

/** The text of every file below a folder, except what an agent printed, which is kept as it is. */
function textsBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile() && path.basename(file) !== 'stdout')
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');
}

function loopFolder({ folder }: CommandLine): string {
  const loops = path.join(folder, '.ralph/loops');
  return path.join(loops, readdirSync(loops)[0] ?? '');
}

test('B075: a run reports its end to every channel, and no secret is in any of its files', async () => {
  const { url, requests } = await startReceiver(respond(200));
  const line = createCommandLine();
  const env = { HOOK_ADDRESS: `${url}/services/T0PSECRET` };
  const key = 'correct horse battery staple';
  line.write('key', `${key}\n`);
  line.write(
    'ralphd.yml',
    'notify:\n  - { type: webhook, url: env:HOOK_ADDRESS, secret: file:key }\n  - { type: log, path: notices.log }\n',
  );
  // The output of checks is recorded.
  line.write('check.sh', '#!/bin/sh\necho "$HOOK_ADDRESS"; cat key; test -f done\n');
  const { code, stdout, stderr } = await line.run(run, env);
  expect(code).toBe(0);
  expect(requests.map(({ body }) => parse(body)).at(-1)).toMatchObject({
    trigger: 'completed',
    status: 'completed',
    text: expect.stringContaining('The task is complete. The checks passed.'),
  });
  expect(parse(readFileSync(path.join(line.folder, 'notices.log'), 'utf8').split('\n')[0] ?? '').trigger).toBe(
    'completed',
  );
  const everything = `${stdout}${stderr}${textsBelow(path.join(line.folder, '.ralph'))}`;
  expect(everything).not.toContain('T0PSECRET');
  expect(everything).not.toContain(key);
});

test('a receiver that hangs and one that refuses leave the loop as it is, and each is named once', async () => {
  const hanging = await startReceiver(() => {});
  const refusing = await startReceiver(respond(403));
  const line = createCommandLine();
  const plain = createCommandLine();
  const channels = [
    { type: 'webhook', name: 'slow', url: hanging.url, timeout: '200ms', on: ['started', 'completed'], debounce: '0' },
    { type: 'webhook', name: 'no', url: refusing.url, debounce: '0', minInterval: '0', on: ['iteration', 'completed'] },
  ];
  line.write('ralphd.yml', `notify: ${JSON.stringify(channels)}\n`);
  const [noisy, quiet] = [await line.run(run), await plain.run(run)];
  expect(noisy.code).toBe(0);
  const facts = async (each: CommandLine) =>
    (await each.run(['events', '--json'])).stdout
      .trim()
      .split('\n')
      .map((fact) => (JSON.parse(fact) as { type: string }).type);
  expect(await facts(line)).toEqual(await facts(plain));
  expect(quiet.stderr).not.toContain('notification');
  expect(noisy.stderr.match(/A notification to "no" was not delivered: it answered with HTTP 403/g)).toHaveLength(1);
  expect(noisy.stderr.match(/A notification to "slow" was not delivered: it did not answer in time/g)).toHaveLength(1);

  const history = await plain.run(['notify', 'history']);
  expect(history.stderr).toMatch(/^No notifications were sent about ralph-fix-/);
  expect(existsSync(path.join(loopFolder(plain), 'notifications.jsonl'))).toBe(false);

  const status = await line.run(['status']);
  expect(status.stdout).toContain('The newest notification to "no" was not delivered');
  const doctor = await line.run(['doctor']);
  expect(doctor.stdout).toContain('The newest notification to "slow" was not delivered');
});

test('B074: history shows what was sent and what was not', async () => {
  const line = createCommandLine();
  await line.run([...run, '--notify', 'log:notices.log', '--notify', 'command:exit 3']);
  const { stdout } = await line.run(['notify', 'history', 'fix']);
  expect(stdout).toMatch(/✓ .* log {2}high {2}ralph-fix-\w+: completed/);
  expect(stdout).toMatch(/✗ .* command {2}high {2}ralph-fix-\w+: completed/);
  expect(stdout).toContain('not delivered: it exited with code 3');
  const json = JSON.parse((await line.run(['notify', 'history', '--json'])).stdout) as { notifications: object[] };
  expect(json.notifications).toMatchObject([{ result: expect.any(String) }, { result: expect.any(String) }]);
});

test('B075: what a person acknowledges is marked in the history, and what comes later is not', async () => {
  const line = createCommandLine();
  line.write('agent.sh', '#!/bin/sh\ntouch tried; echo working\n');
  const limited = [...run, '--notify', 'log:notices.log', '--delay', '0s', '--on-limit', 'pause'];
  await line.run([...limited, '-n', '1']);
  expect((await line.run(['notify', 'history'])).stdout).not.toContain('acknowledged');
  expect((await line.run(['notify', 'ack', 'fix'])).stdout).toMatch(
    /^1 notification about ralph-fix-\w+ acknowledged\.\n$/,
  );
  expect((await line.run(['notify', 'history'])).stdout).toMatch(/acknowledged .* by \S+/);
  expect((await line.run(['notify', 'ack', '--json'])).stdout).toContain('"acknowledged":0');
  await line.run(['resume', 'fix', '-n', '2']);
  const { stdout } = await line.run(['notify', 'history', '--json']);
  const { notifications } = JSON.parse(stdout) as { notifications: readonly Record<string, unknown>[] };
  expect(notifications.map((each) => 'acknowledged' in each)).toEqual([true, false]);
  expect((await line.run(['notify', 'ack', 'no-such-loop', '--json'])).stdout).toContain('"LOOP_NOT_FOUND"');
});

test('notify test sends to all channels or to one, and says what happened', async () => {
  const { url, requests } = await startReceiver(respond(200));
  const line = createCommandLine();
  const channels = [
    { type: 'webhook', url },
    { type: 'command', run: 'exit 3' },
  ];
  line.write('ralphd.yml', `notify: ${JSON.stringify(channels)}\n`);
  const all = await line.run(['notify', 'test']);
  expect(all.stdout).toBe('✓ webhook: a test message was sent.\n✗ command: it exited with code 3.\n');
  expect(all.code).toBe(1);
  expect(parse(requests[0]?.body ?? '')).toMatchObject({ trigger: 'test', text: 'This channel works.' });
  const one = await line.run(['notify', 'test', 'webhook', '--json']);
  expect([one.code, JSON.parse(one.stdout)]).toEqual([
    0,
    { channels: [{ channel: 'webhook', type: 'webhook', ok: true }] },
  ]);
});

test.each<[string, readonly string[], string]>([
  ['an action that does not exist', ['notify', 'shout'], 'UNKNOWN_SUBCOMMAND'],
  ['a test without channels', ['notify', 'test'], 'NO_CHANNELS'],
  ['a channel that does not exist', ['notify', 'test', 'mail', '--notify', 'desktop'], 'CHANNEL_UNKNOWN'],
  ['a run with a secret that is not set', [...run, '--notify', 'slack:env:NO_SUCH'], 'CHANNEL_UNUSABLE'],
  ['a run with an unknown channel', [...run, '--notify', 'pager'], 'BAD_VALUE'],
  ['a run with a secret itself', [...run, '--notify', 'slack:https://example.org/T0PSECRET'], 'BAD_VALUE'],
])('%s is refused and nothing is written', async (_case, args, code) => {
  const line = createCommandLine();
  const { stdout, stderr } = await line.run([...args, '--json']);
  expect(stdout + stderr).toContain(`"${code}"`);
  expect(stdout + stderr).not.toContain('T0PSECRET');
  expect(line.has('.ralph')).toBe(false);
});

test('a notification that a dead process did not send is sent after the resume, and one that it sent is not', async () => {
  const { url, requests } = await startReceiver(respond(200));
  const line = createCommandLine();
  line.write('agent.sh', '#!/bin/sh\ntouch tried; echo working\n');
  line.write('ralphd.yml', `notify: [{ type: webhook, url: "${url}", on: [started, limit], debounce: "0" }]\n`);
  await line.run([...run, '-n', '1', '--on-limit', 'pause', '--delay', '0s']);
  const sent = () => requests.map(({ body }) => parse(body).trigger);
  expect(sent()).toEqual(['started', 'limit']);

  // As if the process had died after the first message, before the second was sent.
  const file = path.join(loopFolder(line), 'notifications.json');
  writeFileSync(file, JSON.stringify({ version: 1, channels: { webhook: { cursor: { seq: 2, beyond: [] } } } }));
  await line.run(['resume', 'fix', '-n', '2', '--json']);
  expect(sent().filter((trigger) => trigger === 'started')).toHaveLength(1);
  expect(sent().filter((trigger) => trigger === 'limit').length).toBeGreaterThanOrEqual(2);
  expect(parse(requests[2]?.body ?? '').text).toContain('The loop is paused');
});
