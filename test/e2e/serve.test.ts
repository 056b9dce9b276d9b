import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createApiCheck } from '../support/api-check.ts';
import type { EventReader } from '../support/http-client.ts';
import { createProject, eventually, type Project } from '../support/project.ts';
import { type Served, serve } from '../support/server.ts';

const id = 'ralph-page-a1b2c3d4';
const patience = { timeout: 15_000 };

/** An agent that is at work until a file says that it may end; its first run claims too early. */
function projectWithAgent(): Project {
  const project = createProject();
  project.script(
    'agent.sh',
    'cat > heard',
    'n=$(ls | grep -c "^run-")',
    'touch run-$n',
    'echo "run $n: I look for the <script>alert(1)</script> needle"',
    'until [ -e go-$n ]; do sleep 0.05; done',
    '[ $n = 0 ] || touch done',
    'echo "<promise>DONE</promise>"',
  );
  project.write('ralphd.yml', 'iterationDelay: "0"\n');
  return project;
}

const run = ['run', 'x', '--agent-command', './agent.sh', '--verify', 'test -e done', '--loop-id', id, '--detach'];

function seqs({ messages }: EventReader): readonly number[] {
  return messages.flatMap(({ id: seq }) => (seq === undefined ? [] : [seq]));
}

function newest(reader: EventReader, event: string): Record<string, unknown> | undefined {
  return reader.messages.findLast((message) => message.event === event)?.data as Record<string, unknown> | undefined;
}

/** The numbers of all facts in the journal, but those about the journal itself. */
function seqsOnDisk(project: Project): readonly number[] {
  const folder = path.join(project.folder, '.ralph/loops', id, 'journal');
  const lines = readdirSync(folder)
    .sort()
    .flatMap((name) => readFileSync(path.join(folder, name), 'utf8').trimEnd().split('\n'));
  const facts = lines.map((line) => JSON.parse(line) as { readonly seq: number; readonly type: string });
  return facts.filter(({ type }) => type !== 'segment.opened').map(({ seq }) => seq);
}

test('a loop is followed live by two readers, guided, paused, resumed and completed from the page, and every answer is as described', async () => {
  const project = projectWithAgent();
  const server = await serve(project, ['--allow-control']);
  const { problemsOf, problemsOfEvent } = createApiCheck(await server.get('/api/openapi.json'));
  const get = async (address: string) => {
    const { status, text } = await server.ask(address);
    const body = text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>);
    expect(problemsOf('GET', address, status, body), address).toEqual([]);
    return body ?? {};
  };
  const post = async (address: string, body: unknown) => {
    const { status, json } = await server.post(address, body);
    expect(problemsOf('POST', address, status, json), `${address} ${JSON.stringify(json)}`).toEqual([]);
    return { status, json };
  };
  const fleet = await server.follow('/api/events');
  expect(await get('/api/loops')).toMatchObject({ loops: [], unreadable: [] });
  const started = await post('/api/loops', { task: 'x', agent: 'command', verify: ['test -e done'] });
  expect(started).toMatchObject({ status: 409, json: { error: { code: 'AGENT_COMMAND_MISSING' } } });

  await project.ralphd(...run);
  const loop = `/api/loops/${id}`;
  await eventually(() => newest(fleet, 'row')?.['state']).toBe('running');
  const first = await get(loop);
  const early = await server.follow(`${loop}/events?after=0`);
  const late = await server.follow(`${loop}/events?after=${Number(first['seq'])}`);
  await expect.poll(() => newest(late, 'standing'), patience).toMatchObject({ state: 'running' });
  await eventually(() => project.has('run-0')).toBe(true);

  expect(await post(`${loop}/commands`, { command: 'guide', text: 'Use the needle.' })).toMatchObject({ status: 200 });
  expect(await post(`${loop}/commands`, { command: 'retry' })).toMatchObject({
    status: 409,
    json: { error: { code: 'COMMAND_REFUSED' } },
  });
  expect(await post(`${loop}/commands`, { command: 'pause' })).toMatchObject({ json: { accepted: true } });
  project.write('go-0', '');
  await expect
    .poll(() => newest(early, 'standing'), patience)
    .toMatchObject({ state: 'paused', owner: { state: 'none' } });
  expect(newest(early, 'standing')).toMatchObject({ guidance: [{ number: 1, text: 'Use the needle.' }] });

  expect(await get(`${loop}/iterations/1`)).toMatchObject({
    row: { sign: 'better', claimed: true, verdict: 'failed' },
  });
  expect(await get(`${loop}/iterations/1/transcript`)).toMatchObject({
    entries: [{ number: 1, text: expect.stringContaining('<script>alert(1)</script>') as string }],
    total: 1,
  });
  expect(await get(`${loop}/search?q=NEEDLE`)).toMatchObject({
    matches: [{ iteration: 1, number: 1, match: 'needle' }],
  });
  for (const address of ['iterations', 'iterations/1/diff', 'diff', 'report']) await get(`${loop}/${address}`);
  for (const address of ['/api/server', '/api/report', '/api/numbers', '/healthz']) await get(address);
  expect(await get('/api/loops/ralph-none-00000000')).toMatchObject({ error: { code: 'LOOP_NOT_FOUND' } });

  const resumed = await post(`${loop}/resume`, {});
  expect(resumed).toMatchObject({ status: 200, json: { loopId: id, pid: expect.any(Number) as number } });
  project.write('go-1', '');
  await expect.poll(() => early.isEnded && late.isEnded, patience).toBe(true);
  expect(newest(early, 'gone')).toMatchObject({ why: 'over' });
  expect(newest(late, 'standing')).toMatchObject({ state: 'proven' });
  await eventually(() => newest(fleet, 'row')).toMatchObject({ state: 'proven', trail: ['better', 'proven'] });

  const onDisk = seqsOnDisk(project);
  expect(seqs(early)).toEqual(onDisk);
  expect(seqs(late)).toEqual(onDisk.filter((seq) => seq > Number(first['seq'])));
  for (const reader of [early, late, fleet]) {
    const address = reader === fleet ? '/api/events' : `${loop}/events`;
    for (const { event, data } of reader.messages) expect(problemsOfEvent(address, event, data), event).toEqual([]);
  }
  const accepted = early.messages.flatMap(({ data }) => {
    const fact = data as { readonly type?: string; readonly data?: { readonly sender?: { readonly face: string } } };
    return fact?.type === 'command.accepted' ? [fact.data?.sender?.face] : [];
  });
  expect(accepted).toEqual(['page', 'page', 'page']);
}, 60_000);

test('a server that was killed comes back: sessions stay valid, no fact is lost or told twice, and the loop and its owner go on', async () => {
  const project = projectWithAgent();
  const server = await serve(project, ['--allow-control']);
  const started = await server.post('/api/loops', { task: 'x', verify: ['test -e done'] });
  expect(started.json).toMatchObject({ error: { code: expect.any(String) as string } });
  await project.ralphd(...run);
  const events = `/api/loops/${id}/events`;
  const before = await server.follow(`${events}?after=0`);
  await expect
    .poll(() => newest(before, 'standing'), patience)
    .toMatchObject({ view: { current: { stage: 'executing' } } });
  const known = seqs(before);

  server.running.signal('SIGKILL');
  await server.running.ended;
  project.write('go-0', '');
  await eventually(() => project.has('run-1')).toBe(true);
  const again = await serve(project, ['--allow-control', '--port', String(server.port)], server.session);
  const after = await again.follow(events, { 'last-event-id': String(known.at(-1)) });
  project.write('go-1', '');
  await expect.poll(() => after.isEnded, patience).toBe(true);
  expect([...known, ...seqs(after)]).toEqual(seqsOnDisk(project));
  expect(newest(after, 'standing')).toMatchObject({ state: 'proven' });
}, 60_000);

test('a crashed owner, a frozen one and a removed loop are shown for what they are', async () => {
  const project = projectWithAgent();
  await project.ralphd(...run);
  const server: Served = await serve(project);
  const reader = await server.follow(`/api/loops/${id}/events`);
  await expect.poll(() => newest(reader, 'owner'), patience).toMatchObject({ state: 'working' });
  const { pid } = newest(reader, 'owner') as { readonly pid: number };
  process.kill(pid, 'SIGSTOP');
  await expect.poll(() => newest(reader, 'standing'), patience).toMatchObject({ state: 'frozen' });
  expect((await server.get('/api/loops'))['loops']).toMatchObject([{ need: { command: `kill -CONT ${pid}` } }]);
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => newest(reader, 'standing'), patience).toMatchObject({ state: 'crashed', owner: { pid } });
  rmSync(path.join(project.folder, '.ralph/loops', id), { recursive: true, force: true, maxRetries: 10 });
  await expect.poll(() => newest(reader, 'gone'), patience).toMatchObject({ why: 'removed' });
  await eventually(() => reader.isEnded).toBe(true);
}, 60_000);
