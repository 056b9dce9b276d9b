import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { foldState } from '../../src/app/adapters/fold-state.ts';
import { toStateDocument } from '../../src/formats/index.ts';
import { livenessOf, selfIdentity } from '../../src/process/index.ts';
import { configSchema, encodeConfig, type Fact } from '../../src/protocol/index.ts';
import { openLoopFolders } from '../../src/store/index.ts';
import { usual, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { createApiCheck } from '../support/api-check.ts';
import type { EventReader } from '../support/http-client.ts';
import { createProject, eventually, type Project } from '../support/project.ts';
import { serve } from '../support/server.ts';

const loopId = 'ralph-rotated-a1b2c3d4';

function started({ folder }: Project): Fact {
  const config = encodeConfig(configSchema.parse({}));
  const data = { loopId, uuid: 'a1b2c3d4-0000-4000-8000-000000000000', task: 'x', agent: 'command', startedBy: 'user' };
  return { type: 'loop.started', data: { ...data, workingDirectory: folder, config, configHash: 'hash', checks: [] } };
}

function begun(iteration: number): Fact {
  return {
    type: 'iteration.started',
    data: { iteration, attempt: 1, session: 'fresh', guidance: [], handOff: false, elapsedMs: iteration },
  };
}

function seqs({ messages }: EventReader): readonly number[] {
  return messages.flatMap(({ id: seq }) => (seq === undefined ? [] : [seq]));
}

test('live readers of a journal that rotates again and again get each fact once and in order, whenever they begin', async () => {
  const project = createProject();
  const root = path.join(project.folder, '.ralph');
  const owner = selfIdentity();
  const store = openLoopFolders({ root, owner, livenessOf, now: () => new Date(), segmentBytes: 600 });
  using loop = store.create(loopId);
  const recorded = [...loop.append([started(project)])];
  const server = await serve(project);
  const events = `/api/loops/${loopId}/events`;
  const readers = [await server.follow(`${events}?after=0`)];
  for (let number = 1; number <= 40; number += 1) {
    recorded.push(...loop.append([begun(number)]));
    // Each has read what is there before the journal rotates again.
    if (number % 10 === 0) {
      await eventually(() => seqs(readers[0] as EventReader).at(-1)).toBe(recorded.at(-1)?.seq);
      readers.push(await server.follow(`${events}?after=${recorded[number - 5]?.seq}`));
    }
  }
  const journal = path.join(root, 'loops', loopId, 'journal');
  expect(readdirSync(journal).length).toBeGreaterThan(10);
  const all = recorded.map(({ seq }) => seq);
  for (const [index, reader] of readers.entries()) {
    const expected = index === 0 ? all : all.slice(index * 10 - 4);
    await expect.poll(() => seqs(reader), { timeout: 10_000 }).toEqual(expected);
  }
}, 60_000);

test('a reader whose facts were superseded by a restore is told so, connected or not, however far the loop has gone on since', async () => {
  const project = createProject();
  const root = path.join(project.folder, '.ralph');
  const store = openLoopFolders({ root, owner: selfIdentity(), livenessOf, now: () => new Date() });
  const loop = store.create(loopId);
  loop.append([started(project), begun(1)]);
  loop.writeSnapshot(toStateDocument(foldState(store.read(loopId))));
  const server = await serve(project);
  const events = `/api/loops/${loopId}/events`;
  const kept = String((await server.get(`/api/loops/${loopId}`))['cursor']);
  expect(await project.ralphd('backup', loopId)).toMatchObject({ code: 0, stderr: '' });
  const connected = await server.follow(`${events}?after=0`);
  loop.append([begun(2)]);
  await eventually(() => connected.messages.findLast(({ cursor }) => cursor !== undefined)?.data).toMatchObject(
    begun(2),
  );
  const superseded = String(connected.messages.findLast(({ cursor }) => cursor !== undefined)?.cursor);
  loop[Symbol.dispose]();

  // The first fact after the restore has a greater number than the last one before it.
  expect(await project.ralphd('restore', loopId, '--from', 'latest')).toMatchObject({ code: 0 });
  await eventually(() => connected.messages.at(-1)).toMatchObject({ event: 'gone', data: { why: 'restored' } });
  const known = Number.parseInt(superseded, 10);
  expect(seqs(connected).filter((seq) => seq <= known)).toEqual([known - 2, known - 1, known]);

  using next = store.open(loopId);
  next.append([begun(2), begun(3), begun(4)]);
  for (const [address, headers] of [
    [`${events}?after=${superseded}`, {}],
    [events, { 'last-event-id': superseded }],
    [`${events}?after=999-00000000`, {}],
  ] as const) {
    const reader = await server.follow(address, headers);
    await eventually(() => reader.isEnded).toBe(true);
    expect(reader.messages).toMatchObject([{ event: 'hello' }, { event: 'gone', data: { why: 'restored' } }]);
  }
  for (const address of [`${events}?after=${kept}`, `${events}?after=${known - 1}`]) {
    const reader = await server.follow(address);
    await eventually(() => reader.messages.some(({ event }) => event === 'standing')).toBe(true);
    expect(reader.messages.flatMap(({ data }) => (data as { readonly type?: string })?.type ?? [])).toEqual([
      'loop.recovered',
      'iteration.started',
      'iteration.started',
      'iteration.started',
    ]);
  }
  expect((await server.ask(`${events}?after=1-x`)).status).toBe(400);
}, 60_000);

test('A115: a loop whose key is missing is shown as locked, tells and does nothing, and opens again with its key', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  const keyFile = path.join(project.folder, '../key');
  expect(await project.ralphd('key', 'new', '--file', keyFile)).toMatchObject({ code: 0 });
  const key = readFileSync(keyFile);
  const env = { RALPHD_PERSISTENCE_ENCRYPT: 'true', RALPHD_KEY_FILE: keyFile };
  const locked = 'ralph-locked-a1b2c3d4';
  expect(await project.ralphdWith(env, ['run', 'planted task', ...usual, '--loop-id', locked])).toMatchObject({
    code: 0,
  });
  writeFileSync(keyFile, '');

  const server = await serve(project, ['--allow-control']);
  const { problemsOf } = createApiCheck(await server.get('/api/openapi.json'));
  const loop = `/api/loops/${locked}`;
  const list = await server.get('/api/loops');
  expect(problemsOf('GET', '/api/loops', 200, list)).toEqual([]);
  expect(list).toMatchObject({ loops: [], unreadable: [{ key: locked, id: locked, problem: 'locked' }] });
  const reads = [
    '',
    '/iterations',
    '/iterations/1',
    '/iterations/1/transcript',
    '/iterations/1/diff',
    '/diff',
    '/report',
  ];
  for (const address of [...reads, '/search?q=planted', '/events']) {
    const { status, text } = await server.ask(loop + address);
    expect([address, status, text]).toEqual([address, 409, expect.stringContaining('"code":"KEY_')]);
    expect(text).not.toContain('planted');
  }
  for (const [address, body] of [
    ['/commands', { command: 'guide', text: 'x' }],
    ['/resume', { asNew: true }],
  ] as const) {
    const { status, json } = await server.post(loop + address, body);
    expect([address, status, json]).toMatchObject([address, 409, { error: { code: expect.stringMatching(/^KEY_/) } }]);
  }
  expect((await server.ask('/metrics')).text).toContain('ralph_loop_loops_unreadable{} 1');

  writeFileSync(keyFile, key);
  expect(await server.get(loop)).toMatchObject({ standing: { state: 'proven' } });
  await eventually(async () => (await server.get('/api/loops'))['unreadable']).toEqual([]);
  expect((await server.ask('/metrics')).text).toContain('ralph_loop_loops_unreadable{} 0');
}, 60_000);
