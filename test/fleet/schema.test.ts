import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { writeRequest } from '../../src/app/fleet/request.ts';
import { fireSchedules, newSchedule } from '../../src/app/fleet/schedules.ts';
import { type Fleet, migrateFleet, openFleet, parseFleetAddress } from '../../src/fleet/index.ts';
import { configSchema } from '../../src/protocol/index.ts';
import { createDatabase, describeWithPostgres, execute, type TestDatabase } from '../support/postgres/shared.ts';

const note = {
  machine: 'm',
  host: 'h',
  bootId: 'b',
  pid: 1,
  startTime: '1',
  version: '0',
  capacity: 9,
  agents: ['claude'],
  labels: [],
};

describeWithPostgres('the schema of a fleet', () => {
  let database: TestDatabase;
  let fleet: Fleet;

  beforeAll(async () => {
    database = await createDatabase();
    await migrateFleet(parseFleetAddress(database.url));
    fleet = openFleet(database.url);
    return async () => {
      await fleet[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    };
  });

  beforeEach(async () => {
    await execute(database.url, 'truncate ralphd.worker, ralphd.account, ralphd.loops cascade');
    await execute(database.url, 'update ralphd.clock set tick = 0, moved_at = clock_timestamp()');
  });

  const join = async (...ids: readonly string[]) => {
    for (const id of ids) await fleet.join({ ...note, id, machine: id });
  };
  const submit = async (id: string, more: { priority?: number; account?: string; byPerson?: boolean } = {}) =>
    await fleet.submit({
      id,
      request: '{}',
      title: id,
      priority: 0,
      byPerson: true,
      agent: 'claude',
      labels: [],
      submittedBy: 'tester',
      ...more,
    });
  const claim = async (worker: string) => (await fleet.claim(worker, false))?.loop;
  const batchOf = (loopId: string, epoch: number, after: number) => ({
    loopId,
    epoch,
    after,
    id: randomUUID(),
    lines: [`${after + 1}\n`, `${after + 2}\n`],
    types: ['a', 'b'],
  });

  test('a migration is made once, and a newer schema is refused', async () => {
    const address = parseFleetAddress(database.url);
    expect(await migrateFleet(address)).toEqual({ from: 1, to: 1 });
    await fleet.assertReady();
    await execute(database.url, 'update ralphd.schema_version set version = 99');
    await expect(migrateFleet(address)).rejects.toMatchObject({ failure: { code: 'FLEET_NEWER' } });
    await expect(fleet.assertReady()).rejects.toMatchObject({ failure: { code: 'FLEET_NEWER' } });
    await execute(database.url, 'update ralphd.schema_version set version = 1');
  });

  test('a database without a fleet says how to prepare it', async () => {
    await using empty = await createDatabase();
    await using none = openFleet(empty.url);
    await expect(none.assertReady()).rejects.toMatchObject({ failure: { code: 'FLEET_NOT_PREPARED' } });
  });

  test('a user of the workers can call functions and cannot touch a table', async () => {
    const name = `worker_${process.pid}_${Date.now().toString(36)}`;
    await execute(database.url, `create role ${name} login in role ralphd_worker`);
    const url = database.url.replace('postgres@', `${name}@`);
    await using own = openFleet(url);
    expect(await own.join({ ...note, id: 'w' })).toEqual([]);
    const client = new Client({ connectionString: url });
    await client.connect();
    for (const statement of [
      'select * from ralphd.loops',
      "insert into ralphd.loops (id, status) values ('x', 'queued')",
      'delete from ralphd.fact',
      'update ralphd.worker set lost_at = now()',
    ]) {
      await expect(client.query(statement)).rejects.toThrow('permission denied');
    }
    await client.end();
    await execute(database.url, `drop role ${name}`);
  });

  test('a batch that is sent again is recorded once, and one that leaves a gap is refused', async () => {
    await join('w');
    await submit('a');
    expect(await claim('w')).toBe('a');
    const batch = batchOf('a', 1, 0);
    for (let round = 0; round < 3; round += 1) {
      expect(await fleet.append(batch)).toEqual({ outcome: 'written', lastSeq: 2 });
    }
    expect(await fleet.facts('a', 0, 10)).toEqual([
      { seq: 1, line: '1\n' },
      { seq: 2, line: '2\n' },
    ]);
    expect(await fleet.append(batchOf('a', 1, 5))).toEqual({ outcome: 'gap', lastSeq: 2 });
    expect(await fleet.append(batchOf('a', 1, 0))).toEqual({ outcome: 'gap', lastSeq: 2 });
  });

  test('a line is kept byte for byte', async () => {
    await join('w');
    await submit('a');
    await claim('w');
    const line = '{"b":1,"a":1.0,"text":"\\u0000 \\ud800 \u{1f600} \\"\\\\ \u2028"}\n';
    await fleet.append({ ...batchOf('a', 1, 0), lines: [line], types: ['a'] });
    expect((await fleet.facts('a', 0, 1))[0]?.line).toBe(line);
  });

  test('nothing of an owner that was lost is accepted, not even before there is another one', async () => {
    await join('w', 'v');
    await submit('a');
    await claim('w');
    await fleet.append(batchOf('a', 1, 0));
    await fleet.lose('w');
    expect(await fleet.append(batchOf('a', 1, 2))).toMatchObject({ outcome: 'fenced' });
    expect(await fleet.save('a', 1, { upto: 2, document: '{}' })).toBe(false);
    expect(await fleet.release('w', 'a', 1)).toBe(false);
    expect(await fleet.beat('w', false)).toBeUndefined();
    expect(await claim('w')).toBeUndefined();
    expect(await fleet.claim('v', false)).toMatchObject({ loop: 'a', epoch: 3, seq: 2 });
    expect(await fleet.append(batchOf('a', 3, 2))).toEqual({ outcome: 'written', lastSeq: 4 });
  });

  test('a worker is lost when it was silent for 18 ticks that others saw, and a set clock is one of them', async () => {
    await join('silent', 'awake');
    await submit('a');
    expect(await claim('silent')).toBe('a');
    const tick = async (moved: string) => {
      await execute(database.url, `update ralphd.clock set moved_at = clock_timestamp() - interval '${moved}'`);
      await fleet.beat('awake', false);
      return (await fleet.look()).freed;
    };
    // Nobody looked for a day, and the clock was set back by one: a tick each.
    expect(await tick('1 day')).toEqual([]);
    expect(await tick('-1 day')).toEqual([]);
    for (let number = 3; number < 18; number += 1) expect(await tick('1 second')).toEqual([]);
    expect((await fleet.look()).freed).toEqual([]);
    expect(await tick('1 second')).toEqual(['a']);
    expect(await fleet.lookAt('a')).toMatchObject({ status: 'queued', owner: { liveness: 'dead', epoch: 1 } });
    expect(await claim('awake')).toBe('a');
  });

  test('whoever joins for the same machine takes over what its dead predecessor drove', async () => {
    await fleet.join({ ...note, id: 'before' });
    await submit('a');
    await claim('before');
    await fleet.append(batchOf('a', 1, 0));
    expect(await fleet.join({ ...note, id: 'after' })).toMatchObject([{ loop: 'a', epoch: 2, seq: 2, wasHere: true }]);
    expect(await fleet.append(batchOf('a', 1, 2))).toMatchObject({ outcome: 'fenced' });
    expect(await fleet.append(batchOf('a', 2, 2))).toMatchObject({ outcome: 'written' });
  });

  test('a loop whose owner died five times without a finished iteration is set aside until a person acts', async () => {
    await submit('a');
    for (let round = 1; round <= 5; round += 1) {
      await join(`w${round}`);
      expect(await claim(`w${round}`)).toBe('a');
      await fleet.lose(`w${round}`);
    }
    await join('last');
    expect(await claim('last')).toBeUndefined();
    expect((await fleet.status()).loops).toMatchObject([{ id: 'a', status: 'held', crashes: 5 }]);
    expect(await fleet.requeue('a')).toBe(true);
    expect(await claim('last')).toBe('a');
  });

  test('loops are claimed by priority, then by age, and one that waits long enough comes first', async () => {
    await join('w');
    for (const [id, priority] of [
      ['low', -1],
      ['one', 0],
      ['two', 0],
      ['high', 5],
    ] as const)
      await submit(id, { priority });
    await execute(database.url, "update ralphd.loops set queued_at = now() - interval '2 hours' where id = 'low'");
    const order = [];
    for (let next = await claim('w'); next !== undefined; next = await claim('w')) order.push(next);
    expect(order).toEqual(['low', 'high', 'one', 'two']);
  });

  test('the limit of an account is never exceeded, however many claim at once, and starves nobody else', async () => {
    await fleet.limitAccount('pro', { most: 2 });
    await join(...Array.from({ length: 6 }, (_, number) => `w${number}`));
    for (let number = 0; number < 12; number += 1) await submit(`pro-${number}`, { account: 'pro', priority: 9 });
    await submit('free');
    const claims = await Promise.all(Array.from({ length: 12 }, async (_, number) => await claim(`w${number % 6}`)));
    const given = claims.filter((id) => id !== undefined);
    expect(given).toHaveLength(3);
    expect(given).toContain('free');
  });

  test('an account that is blocked holds all of its loops back, and a part of it is kept for people', async () => {
    await join('w');
    await fleet.limitAccount('pro', { most: 2, reserve: 1 });
    await submit('scheduled-1', { account: 'pro', byPerson: false });
    await submit('scheduled-2', { account: 'pro', byPerson: false });
    expect(await claim('w')).toBe('scheduled-1');
    expect(await claim('w')).toBeUndefined();
    await submit('person', { account: 'pro' });
    expect(await claim('w')).toBe('person');
    await fleet.append({ ...batchOf('person', 1, 0), blockedUntil: new Date(Date.now() + 3_600_000).toISOString() });
    await fleet.limitAccount('pro', { most: 9, reserve: 0 });
    expect(await claim('w')).toBeUndefined();
    await fleet.limitAccount('pro', { blockedUntil: null });
    expect(await claim('w')).toBe('scheduled-2');
  });

  test('a command brings a resting loop to a worker only to be answered, even to a full one', async () => {
    await join('w');
    await submit('a');
    await claim('w');
    await fleet.append({ ...batchOf('a', 1, 0), status: 'paused' });
    await fleet.release('w', 'a', 1);
    expect(await fleet.claim('w', true)).toBeUndefined();
    expect(await fleet.send('a', 'c', '{}')).toBe(true);
    expect(await fleet.claim('w', true)).toMatchObject({ loop: 'a', epoch: 2, onlyCommands: true });
    expect(await fleet.beat('w', false)).toEqual({ waiting: [{ loop: 'a', id: 'c', body: '{}' }] });
    await fleet.append({ ...batchOf('a', 2, 2), answers: ['c'] });
    expect(await fleet.beat('w', false)).toEqual({ waiting: [] });
  });

  test('a due time starts one loop, however many workers look, also those that were missed', async () => {
    const config = configSchema.parse({ prompt: 'Tidy up', agent: 'claude' });
    const request = writeRequest({ uuid: randomUUID(), config, given: [], chosen: [], repository: '/shared.git' });
    const row = {
      request,
      title: 'Tidy up',
      priority: 0,
      byPerson: false,
      agent: 'claude',
      labels: [],
      submittedBy: 'me',
    };
    const given = { id: 'nightly', every: '1h', zone: 'UTC', missed: 'one', submission: row } as const;
    const hourAgo = Date.now() - 3 * 3_600_000 - 60_000;
    expect(await fleet.addSchedule(newSchedule(given, hourAgo))).toBe(true);
    expect(await fleet.addSchedule(newSchedule(given, hourAgo))).toBe(false);
    await Promise.all([1, 2, 3].map(async () => await fireSchedules(fleet, {})));
    await fireSchedules(fleet, {});
    const { loops, schedules } = await fleet.status();
    expect(loops.map(({ title }) => title)).toEqual(['Tidy up']);
    expect(schedules).toMatchObject([{ id: 'nightly', every: '1h' }]);
    expect(schedules[0]?.nextMs).toBeGreaterThan(Date.now());
    expect(await fleet.removeSchedule('nightly')).toBe(true);
    expect((await fleet.status()).schedules).toEqual([]);
  });
});
