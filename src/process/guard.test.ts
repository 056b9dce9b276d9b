import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hasNamespaces } from '../../test/support/system.ts';
import { guardCommand } from './guard.ts';
import type { Command } from './launch.ts';
import { endByMarker } from './reap.ts';
import { runToEnd } from './run-to-end.ts';
import { supervise } from './supervise.ts';
import { processTable } from './table.ts';
import { createAttempt } from './testing/attempt.ts';

test.skipIf(!hasNamespaces)(
  'an enclosed command ends with its own exit code or signal, and a missing one as in a shell',
  async () => {
    const place = layOut();
    expect(await place.ending('exit 7')).toEqual({ kind: 'exited', code: 7 });
    expect(await place.ending('kill -9 $$')).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
    expect(await place.ending(['/nowhere/at-all'])).toEqual({ kind: 'exited', code: 127 });
    expect(existsSync(place.statusFile)).toBe(false);
  },
);

test.skipIf(!hasNamespaces)('an enclosure that cannot be created is told from a command that fails', async () => {
  const place = layOut();
  const missing = { source: '/nowhere/at-all', target: '/nowhere', writable: true };
  const run = place.prepare('exit 126', { binds: [missing] });
  const { ending, output } = await runToEnd({ ...run, cwd: place.folder });
  expect(ending).toEqual({ kind: 'exited', code: 126 });
  expect(output).toContain('bwrap:');
  expect(readFileSync(place.statusFile, 'utf8')).toBe('not set up\n');
});

test.skipIf(!hasNamespaces)(
  'a signal reaches the enclosed command with its grace, and what it hid ends with it',
  async () => {
    const place = layOut();
    const stop = new AbortController();
    const line =
      "trap 'sleep 0.2; echo saved; exit 5' TERM; (env -i setsid sleep 3605 &); echo ready; while :; do sleep 0.02; done";
    const { options, stdout } = createAttempt(place.prepare(line).command, { signal: stop.signal });
    const running = supervise({ ...options, env: { ...options.env, ...place.prepare(line).env } });
    await expect.poll(stdout).toBe('ready\n');
    stop.abort();
    expect((await running).ending).toEqual({ kind: 'stopped', by: 'request', forced: false });
    expect(stdout()).toBe('ready\nsaved\n');
  },
);

test.skipIf(!hasNamespaces)('a library that a variable names is loaded inside only', async () => {
  const place = layOut();
  writeFileSync(path.join(place.work, 'POSIX.pm'), 'open my $file, ">", "$ENV{PLANTED}"; 1;\n');
  const planted = path.join(place.folder, 'planted');
  const env = { PERL5LIB: place.work, PERL5OPT: '-MPOSIX', PLANTED: planted };
  const run = place.prepare('echo "$PERL5LIB"', {}, env);
  const { ending, output } = await runToEnd({ ...run, cwd: place.work });
  expect({ ending, output }).toEqual({ ending: { kind: 'exited', code: 0 }, output: `${place.work}\n` });
  expect(existsSync(planted)).toBe(false);
});

test.skipIf(!hasNamespaces)(
  'the proxy lets listed hosts through, refuses and notes others, and comes back when it is killed',
  async () => {
    const place = layOut();
    const port = await startServer();
    // The name of this machine usually leads to its loopback.
    const hosts = [`127.0.0.1:${port}`, '*.example.invalid', 'localtest.invalid', os.hostname()];
    const marker = `guard-test-${process.pid}`;
    const network = { hosts, folder: place.network, denied: place.denied };
    const run = place.prepare('sleep 3604', {}, {}, network);
    const stop = new AbortController();
    onTestFinished(async () => void (await endByMarker(marker)));
    const running = runToEnd({ ...run, cwd: place.work, marker, signal: stop.signal });
    const ask = async (request: string) => await talk(await socketIn(place.network), request);

    expect(
      await ask(`GET http://127.0.0.1:${port}/page HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n`),
    ).toMatch(/^HTTP\/1\.1 200 OK[^]*GET \/page close$/);
    expect(await ask(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\nGET /tunnel HTTP/1.0\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 200 Connection established\r\n\r\nHTTP\/1\.1 200 OK[^]*GET \/tunnel/,
    );
    expect(await ask('CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n')).toContain('403 Forbidden');
    expect(await ask('CONNECT example.invalid:443 HTTP/1.1\r\n\r\n')).toContain('403 Forbidden');
    expect(await ask(`CONNECT ${os.hostname()}:80 HTTP/1.1\r\n\r\n`)).toContain('502 Bad Gateway');
    expect(await ask('CONNECT evil-example.invalid:443 HTTP/1.1\r\n\r\n')).toContain('403 Forbidden');
    expect(await ask('CONNECT LocalTest.invalid:8443 HTTP/1.1\r\n\r\n')).toContain('403 Forbidden');
    expect(await ask('nonsense\r\n\r\n')).toContain('400 Bad Request');
    expect(readFileSync(place.denied, 'utf8').trim().split('\n')).toEqual([
      '127.0.0.1:1',
      'example.invalid:443',
      'evil-example.invalid:443',
      'localtest.invalid:8443',
    ]);

    const proxies = processTable.marked(marker).filter(({ name }) => name === 'ralphd-proxy');
    expect(proxies).toHaveLength(1);
    for (const { pid } of proxies) process.kill(pid, 'SIGKILL');
    await expect
      .poll(() => ask(`GET http://127.0.0.1:${port}/again HTTP/1.1\r\nHost: x\r\n\r\n`).catch(() => ''))
      .toContain('GET /again');
    stop.abort();
    expect((await running).ending).toMatchObject({ kind: 'stopped', forced: false });
    expect(readdirSync(place.network)).toEqual([]);
  },
);

function layOut() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ralphd-guard-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const inside = (name: string) => path.join(folder, name);
  const [work, network] = [inside('work'), inside('network')];
  for (const each of [work, network]) mkdirSync(each);
  const statusFile = inside('status');
  const env = { PATH: '/usr/bin:/bin', HOME: folder };
  const prepare = (
    command: Command,
    enclosure: object = {},
    more: NodeJS.ProcessEnv = {},
    allowed?: Parameters<typeof guardCommand>[0]['network'],
  ) =>
    guardCommand({
      command,
      env: { ...env, ...more },
      enclosure: { shows: 'machine', binds: [{ source: work, target: work, writable: true }], cwd: work, ...enclosure },
      network: allowed,
      statusFile,
    });
  const ending = async (command: Command) => (await runToEnd({ ...prepare(command), cwd: work })).ending;
  return { folder, work, network, denied: inside('denied'), statusFile, prepare, ending };
}

async function startServer(): Promise<number> {
  const server = http.createServer((request, response) => {
    response.end(`${request.method} ${request.url} ${request.headers.connection ?? ''}`);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as net.AddressInfo).port;
}

async function socketIn(folder: string): Promise<string> {
  const names = () => readdirSync(folder).filter((name) => /^\d+$/.test(name));
  await expect.poll(names).toHaveLength(1);
  return path.join(folder, names()[0] ?? '');
}

/** Everything that is answered. */
async function talk(socket: string, request: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    let answer = '';
    const line = net.connect(socket, () => void line.write(request));
    line.setEncoding('utf8').on('data', (text: string) => (answer += text));
    line.on('end', () => resolve(answer)).on('error', reject);
  });
}
