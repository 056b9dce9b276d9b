import { spawnSync } from 'node:child_process';
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
  'nothing that ralphd was started with leads out: no open folder, no file behind the input, no key of the login',
  () => {
    const place = layOut();
    const [prompt, folder] = [path.join(place.folder, 'prompt'), path.join(place.folder, 'secrets')];
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'key'), 'secret');
    const line = `cat; echo planted >> /proc/self/fd/0; cat /proc/self/fd/20/key; perl -e '${readKey}'`;
    const run = (command: readonly string[], env: NodeJS.ProcessEnv) => {
      writeFileSync(prompt, 'task\n');
      const script = `exec 20< "$FOLDER" < "$PROMPT"; exec "$@"`;
      const words = ['-e', `${joinSession}; exec @ARGV`, '/bin/bash', '-c', script, 'bash', ...command];
      const { stdout } = spawnSync('perl', words, {
        env: { ...env, FOLDER: folder, PROMPT: prompt },
        encoding: 'utf8',
      });
      return { stdout, prompt: readFileSync(prompt, 'utf8') };
    };
    const { command, env } = place.prepare(line);
    expect(run(['/bin/sh', '-c', line], env)).toEqual({ stdout: 'task\nsecretkey', prompt: 'task\nplanted\n' });
    expect(run(command, env)).toEqual({ stdout: 'task\n', prompt: 'task\n' });
  },
);

test.skipIf(!hasNamespaces)('a task of any size arrives whole', async () => {
  const place = layOut();
  const prompt = path.join(place.folder, 'prompt');
  writeFileSync(prompt, 'x'.repeat(300_000));
  const run = place.prepare('wc -c');
  const { stdout } = spawnSync('/bin/sh', ['-c', 'exec "$@" < "$PROMPT"', 'sh', ...run.command], {
    env: { ...run.env, PROMPT: prompt },
    encoding: 'utf8',
  });
  expect(stdout.trim()).toBe('300000');
});

test.skipIf(!hasNamespaces)(
  'through a proxy of the machine goes exactly what was checked: one request, to a listed host, under its own name',
  async () => {
    const place = layOut();
    const upstream = await startUpstream();
    const network = {
      hosts: ['listed.invalid', '*.wide.invalid'],
      folder: place.network,
      denied: place.denied,
      upstream: ['127.0.0.1', String(upstream.port), 'bG9naW4='],
    };
    const stop = new AbortController();
    const run = place.prepare('sleep 3604', {}, {}, network);
    const running = runToEnd({ ...run, cwd: place.work, marker: `guard-up-${process.pid}`, signal: stop.signal });
    onTestFinished(async () => void (await endByMarker(`guard-up-${process.pid}`)));
    const ask = async (...lines: readonly string[]) =>
      (await talk(await socketIn(place.network), lines.join('\r\n'))).split('\r\n')[0];
    const get = 'GET http://listed.invalid/a HTTP/1.1';
    const evil = 'GET http://evil.invalid/ HTTP/1.1\r\n\r\n';
    const asked = async (...lines: readonly string[]) => {
      upstream.received.length = 0;
      return [await ask(...lines), upstream.received.join('')];
    };
    const clean = (more: string) =>
      `GET http://listed.invalid/a HTTP/1.1\r\nHost: listed.invalid\r\nConnection: close\r\n${more}Proxy-Authorization: Basic bG9naW4=\r\n\r\n`;
    expect(await asked(get, 'Host: evil.invalid', 'Upgrade: x', '', evil)).toEqual(['HTTP/1.1 200 OK', clean('')]);
    expect(await asked(get, 'Content-Length: 2', '', `hi${evil}`)).toEqual([
      'HTTP/1.1 200 OK',
      `${clean('Content-Length: 2\r\n')}hi`,
    ]);
    const [bad, unknown] = [
      ['HTTP/1.1 400 Bad Request', ''],
      ['HTTP/1.1 411 Length Required', ''],
    ];
    expect(await asked(get, `X: y\n\n${evil}`, '')).toEqual(bad);
    expect(await asked(get, 'Transfer-Encoding : chunked', '', '')).toEqual(bad);
    expect(await asked('GET http://evil.invalid#.wide.invalid/ HTTP/1.1', '', '')).toEqual(bad);
    expect(await asked(get, 'Transfer-Encoding: chunked', '', `0\r\n\r\n${evil}`)).toEqual(unknown);
    expect(await asked(get, 'Content-Length: 0', 'Content-Length: 99', '', evil)).toEqual(unknown);
    // This one refuses to connect, and would then go on reading requests.
    expect(await asked('CONNECT listed.invalid:443 HTTP/1.1', '', evil)).toEqual([
      'HTTP/1.1 502 Bad Gateway',
      'CONNECT listed.invalid:443 HTTP/1.1\r\nHost: listed.invalid:443\r\nProxy-Authorization: Basic bG9naW4=\r\n\r\n',
    ]);
    stop.abort();
    await running;
  },
);

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

const numbers = 'chomp(my $m = `uname -m`); my $n = $m eq "x86_64" ? 248 : 217';
/** A session with a key in it, as a login has. */
const joinSession = `${numbers}; syscall $n + 2, 1, 0; syscall $n, my $a = "user\\0", my $b = "key\\0", my $c = "key", 3, -3`;
const readKey = `${numbers}; my $t = "\\0" x 3; my $k = syscall($n + 2, 10, -3, my $a = "user\\0", my $b = "key\\0", 0); print $t if syscall($n + 2, 11, $k, $t, 3) > 0`;

/** A proxy that answers each request but connects nowhere, and remembers what it was sent. */
async function startUpstream() {
  const received: string[] = [];
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (text: string) => {
      received.push(text);
      if (text.startsWith('CONNECT')) return void socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as net.AddressInfo).port, received };
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
