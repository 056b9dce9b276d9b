import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { type S3Server, startS3Server } from '../../src/backup/testing/s3-server.ts';
import { endByMarker } from '../../src/process/index.ts';
import { createProject, endLine, eventually, jsonLines, loopIds, type Project } from '../support/project.ts';

const secrets = { ACCESS: 'AKIDTESTTESTTEST', SECRET: 'sEcReT/key+with/slashes' };

/** A project whose agent counts its runs; the fifth one works until a file appears, the next one is done. */
function createMachine({ endpoint, bucket }: S3Server): Project {
  const project = createProject();
  project.script(
    'agent.sh',
    'cat > /dev/null',
    'n=$(($(cat count 2> /dev/null || echo 0) + 1)); echo $n > count; echo "run $n"',
    'if [ $n = 5 ]; then touch working; while [ ! -f go-on ]; do sleep 0.05; done; fi',
    'if [ $n -ge 6 ]; then touch done; echo "<promise>DONE</promise>"; fi',
  );
  const keys = 'accessKeyId: env:ACCESS, secretAccessKey: env:SECRET';
  const target = `{ type: s3, bucket: ${bucket}, prefix: team a, endpoint: "${endpoint}", region: eu-test-1, ${keys} }`;
  project.write('ralphd.yml', `backup:\n  targets: [${target}]\n`);
  return project;
}

function journalIn(project: Project): readonly string[] {
  const folder = path.join(project.folder, '.ralph/loops', loopIds(project)[0] ?? '', 'journal');
  const segments = readdirSync(folder).toSorted();
  return segments.flatMap((name) => readFileSync(path.join(folder, name), 'utf8').trimEnd().split('\n'));
}

const newestBackup = ({ objects }: S3Server) => {
  const name = [...objects.keys()]
    .filter((key) => key.includes('/manifests/'))
    .toSorted()
    .at(-1);
  return JSON.parse(objects.get(name ?? '')?.toString() ?? '{}') as {
    iteration?: number;
    seq?: number;
    epoch?: number;
  };
};

const run = [
  'run',
  'Make it',
  '--agent-command',
  './agent.sh',
  '--verify',
  'test -f done',
  '--delay',
  '0s',
  '--loop-id',
  'it',
];

test('A134: a loop whose machine is gone in the middle of iteration 5 is restored from a bucket on another one, and completes', async () => {
  const server = await startS3Server();
  const first = createMachine(server);
  const running = first.start(run, secrets);
  await eventually(() => first.has('working')).toBe(true);
  await eventually(() => newestBackup(server).iteration).toBe(4);
  running.signal('SIGKILL');
  await running.ended;
  const lost = journalIn(first);
  const [loopId = ''] = loopIds(first);
  await endByMarker(first.env['RALPHD_ATTEMPT'] ?? '');
  rmSync(path.dirname(first.folder), { recursive: true, force: true });

  const second = createMachine(server);
  second.write('count', '5');
  const restored = await second.ralphdWith(secrets, ['restore', '--from', 's3://backups/team a']);
  expect(restored.stderr).toBe('');
  const { seq = 0 } = newestBackup(server);
  const [line, facts] = restored.stdout.split('\n');
  expect(line).toBe(
    `${loopId} is running after iteration 4, restored from backup 000001-${name(server)} in s3://backups/team a.`,
  );
  const upTo = Number(/Whatever was recorded after fact (\d+) is missing/.exec(facts ?? '')?.[1]);
  expect(upTo).toBeGreaterThanOrEqual(seq);
  expect(journalIn(second).slice(0, upTo)).toEqual(lost.slice(0, upTo));

  const completed = await second.ralphdWith(secrets, ['resume', '--json']);
  expect(endLine(completed)).toMatchObject({ status: 'completed', verified: true, loopId });
  const events = jsonLines((await second.ralphd('events', '--json')).stdout);
  expect(events.find(({ type }) => type === 'loop.restored')).toMatchObject({
    from: 's3://backups/team a',
    workingDirectory: second.folder,
  });
  expect(newestBackup(server)).toMatchObject({ status: 'completed' });
  const verified = await second.ralphdWith(secrets, ['backup', 'verify']);
  expect([verified.code, verified.stdout]).toEqual([0, expect.stringMatching(/^✓ ralph-it-\w+: \d+ intact/)]);
  const drilled = await second.ralphdWith(secrets, ['backup', 'drill']);
  expect([drilled.code, drilled.stdout]).toEqual([0, expect.stringMatching(/It agrees with the loop here/)]);
  for (const text of [completed.stdout, completed.stderr, JSON.stringify(events)])
    expect(text).not.toContain(secrets.SECRET);
});

test('backups go through a proxy if Node is told to use one', async () => {
  const server = await startS3Server();
  await using proxy = await startProxy();
  const project = createMachine(server);
  project.write('count', '5');
  const env = { ...secrets, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url };
  const ended = await project.start(run, env).ended;
  expect(ended.code, ended.stderr).toBe(0);
  expect(newestBackup(server)).toMatchObject({ status: 'completed' });
  expect(new Set(proxy.tunnels)).toEqual(new Set([new URL(server.endpoint).host]));
});

/** A proxy that opens tunnels, and notes where they lead. */
async function startProxy(): Promise<AsyncDisposable & { readonly url: string; readonly tunnels: string[] }> {
  const tunnels: string[] = [];
  const sockets: Duplex[] = [];
  const server = createServer();
  server.on('connect', ({ url = '' }, client) => {
    tunnels.push(url);
    const [host = '', port] = url.split(':');
    const onward = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(onward).pipe(client);
    });
    sockets.push(client, onward);
    for (const socket of [client, onward]) socket.on('error', () => {});
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, tunnels, [Symbol.asyncDispose]: close };
}

const name = (server: S3Server) =>
  /-(\d{9})\.json$/.exec(
    [...server.objects.keys()]
      .filter((key) => key.includes('/000001-') && key.includes('/manifests/'))
      .toSorted()
      .at(-1) ?? '',
  )?.[1];
