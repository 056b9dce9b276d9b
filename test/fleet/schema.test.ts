import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { writeRequest } from '../../src/app/fleet/request.ts';
import { fireSchedules, newSchedule } from '../../src/app/fleet/schedules.ts';
import { LoopError } from '../../src/base/index.ts';
import { migrateFleet, openFleet, parseFleetAddress } from '../../src/fleet/index.ts';
import { configSchema } from '../../src/protocol/index.ts';
import { batchOf, workerNote as note, useEmptyFleet } from '../support/postgres/fleet.ts';
import { createDatabase, describeWithPostgres, execute } from '../support/postgres/shared.ts';

describeWithPostgres('the schema of a fleet', () => {
  const world = useEmptyFleet();

  test('a migration is made once, and a newer schema is refused', async () => {
    const address = parseFleetAddress(world.url);
    const { from, to } = await migrateFleet(address);
    expect(from).toBe(to);
    await world.fleet.assertReady();
    await world.execute('update ralphd.schema_version set version = 99');
    await expect(migrateFleet(address)).rejects.toMatchObject({ failure: { code: 'FLEET_NEWER' } });
    await expect(world.fleet.assertReady()).rejects.toMatchObject({ failure: { code: 'FLEET_NEWER' } });
    await world.execute(`update ralphd.schema_version set version = ${to}`);
  });

  test('a database without a fleet says how to prepare it', async () => {
    await using empty = await createDatabase();
    await using none = openFleet(empty.url);
    await expect(none.assertReady()).rejects.toMatchObject({ failure: { code: 'FLEET_NOT_PREPARED' } });
  });

  test('a database that cannot be prepared says why, and never the password', async () => {
    const role = `limited_${process.pid}_${Date.now().toString(36)}`;
    await using empty = await createDatabase();
    await execute(
      empty.url,
      `create role ${role} login; create schema fake;
      create function fake.current_setting(text) returns text language sql as $$ select '140009' $$`,
    );
    const prepare = async (url: string) => {
      const error: unknown = await migrateFleet(parseFleetAddress(url)).catch((found: unknown) => found);
      const { failure } = error instanceof LoopError ? error : expect.unreachable(String(error));
      expect(JSON.stringify(failure)).not.toContain('secret');
      return [failure.code, failure.message.replace(/.*?: /, '')];
    };
    const as = (user: string, more = '') => empty.url.replace('postgres@', `${user}:secret@`) + more;
    expect(await prepare(as(role))).toEqual([
      'FLEET_MIGRATION_FAILED',
      expect.stringContaining('permission denied for database'),
    ]);
    expect(await prepare(as('nobody'))).toEqual(['FLEET_LOGIN_REFUSED', 'role "nobody" does not exist.']);
    expect(await prepare(as('postgres', '?sslmode=verify-full'))).toContain('FLEET_TLS');
    expect(await prepare(as('postgres', '?sslrootcert=/missing'))).toContain('FLEET_UNREACHABLE');
    expect(await prepare(as('postgres').replace(/:\d+\//, ':1/'))).toContain('FLEET_UNREACHABLE');
    const old = await prepare(as('postgres', '?options=-c%20search_path=fake,pg_catalog'));
    expect(old).toEqual(['FLEET_SERVER_OLD', expect.stringContaining('PostgreSQL 14')]);
    await execute(empty.url, `drop role ${role}`);
  });

  test('a user of the workers can call functions and cannot touch a table', async () => {
    const name = `worker_${process.pid}_${Date.now().toString(36)}`;
    await world.execute(`create role ${name} login in role ralphd_worker`);
    const url = world.url.replace('postgres@', `${name}@`);
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
    await world.execute(`drop role ${name}`);
  });

  test('a batch that is sent again is recorded once, and one that leaves a gap is refused', async () => {
    await world.join('w');
    await world.submit('a');
    expect(await world.claim('w')).toBe('a');
    const batch = batchOf('a', 1, 0);
    for (let round = 0; round < 3; round += 1) {
      expect(await world.fleet.append(batch)).toEqual({ outcome: 'written', lastSeq: 2, waitedMs: [] });
    }
    expect(await world.fleet.facts('a', 0, 10)).toEqual([
      { seq: 1, line: '1\n' },
      { seq: 2, line: '2\n' },
    ]);
    expect(await world.fleet.append(batchOf('a', 1, 5))).toMatchObject({ outcome: 'gap', lastSeq: 2 });
    expect(await world.fleet.append(batchOf('a', 1, 0))).toMatchObject({ outcome: 'gap', lastSeq: 2 });
  });

  test('a line is kept byte for byte', async () => {
    await world.join('w');
    await world.submit('a');
    await world.claim('w');
    const line = '{"b":1,"a":1.0,"text":"\\u0000 \\ud800 \u{1f600} \\"\\\\ \u2028"}\n';
    await world.fleet.append({ ...batchOf('a', 1, 0), lines: [line], types: ['a'] });
    expect((await world.fleet.facts('a', 0, 1))[0]?.line).toBe(line);
  });

  test('nothing of an owner that was lost is accepted, not even before there is another one', async () => {
    await world.join('w', 'v');
    await world.submit('a');
    await world.claim('w');
    await world.fleet.append(batchOf('a', 1, 0));
    await world.fleet.lose('w');
    expect(await world.fleet.append(batchOf('a', 1, 2))).toMatchObject({ outcome: 'fenced' });
    expect(await world.fleet.save('a', 1, { upto: 2, document: '{}' })).toBe(false);
    expect(await world.fleet.release('w', 'a', 1)).toBe(false);
    expect(await world.fleet.beat('w', false)).toBeUndefined();
    expect(await world.claim('w')).toBeUndefined();
    expect(await world.fleet.claim('v', false)).toMatchObject({ loop: 'a', epoch: 3, seq: 2 });
    expect(await world.fleet.append(batchOf('a', 3, 2))).toMatchObject({ outcome: 'written', lastSeq: 4 });
  });

  test('a worker is lost when it was silent for 18 ticks that others saw, and a set clock is one of them', async () => {
    await world.join('silent', 'awake');
    await world.submit('a');
    expect(await world.claim('silent')).toBe('a');
    const tick = async (moved: string) => {
      await world.execute(`update ralphd.clock set moved_at = clock_timestamp() - interval '${moved}'`);
      await world.fleet.beat('awake', false);
      return (await world.fleet.look()).freed;
    };
    // Nobody looked for a day, and the clock was set back by one: a tick each.
    expect(await tick('1 day')).toEqual([]);
    expect(await tick('-1 day')).toEqual([]);
    for (let number = 3; number < 18; number += 1) expect(await tick('1 second')).toEqual([]);
    expect((await world.fleet.look()).freed).toEqual([]);
    expect(await tick('1 second')).toEqual(['a']);
    expect(await world.fleet.lookAt('a')).toMatchObject({ status: 'queued', owner: { liveness: 'dead', epoch: 1 } });
    expect(await world.claim('awake')).toBe('a');
  });

  test('whoever joins for the same machine takes over what its dead predecessor drove', async () => {
    await world.fleet.join({ ...note, id: 'before' });
    await world.submit('a');
    await world.claim('before');
    await world.fleet.append(batchOf('a', 1, 0));
    expect(await world.fleet.join({ ...note, id: 'after' })).toMatchObject([
      { loop: 'a', epoch: 2, seq: 2, wasHere: true },
    ]);
    expect(await world.fleet.append(batchOf('a', 1, 2))).toMatchObject({ outcome: 'fenced' });
    expect(await world.fleet.append(batchOf('a', 2, 2))).toMatchObject({ outcome: 'written' });
  });

  test('the output of agents is kept by the epoch, for the newest attempts, and waits for no fact', async () => {
    const { fleet } = world;
    await world.join('w');
    await world.submit('a');
    await world.claim('w');
    await fleet.append(batchOf('a', 1, 0));
    const kept = (iteration: number, text: string, epoch = 1) => {
      const [stdout, stderr] = [Buffer.from(text), Buffer.alloc(0)];
      const where = { loop: 'a', epoch, iteration, attempt: 1, host: 'h', folder: '/f', complete: false };
      return { ...where, stdout, stdoutEnd: text.length, stderr, stderrEnd: 0 };
    };
    const texts = async (after = 0) =>
      (await fleet.outputs('a', after)).map(
        ({ iteration, stdout }) => `${iteration}: ${Buffer.from(stdout).toString()}`,
      );
    for (let iteration = 1; iteration <= 6; iteration += 1) await fleet.keepOutputs([kept(iteration, 'begun')]);
    const { revision = 0 } = (await fleet.outputs('a', 0)).at(-1) ?? {};
    expect(await texts(revision)).toEqual([]);
    // A fact that is being recorded holds the loop's row.
    const client = new Client({ connectionString: world.url });
    await client.connect();
    await client.query("begin; select from ralphd.loops where id = 'a' for update");
    await fleet.keepOutputs([kept(6, 'done')], { patienceMs: 0 });
    await client.query('rollback');
    await client.end();
    expect(await texts(revision)).toEqual(['6: done']);
    await fleet.lose('w');
    await fleet.keepOutputs([kept(6, 'stale')]);
    expect(await texts()).toEqual(['3: begun', '4: begun', '5: begun', '6: done']);
    expect(await fleet.remove('a', 'ann')).toBe('removed');
    expect(await texts()).toEqual([]);
    expect(await fleet.removalOf('a')).toMatchObject({ removedBy: 'ann' });
  });

  test('a loop whose owner died five times without a finished iteration is set aside until a person acts', async () => {
    await world.submit('a');
    for (let round = 1; round <= 5; round += 1) {
      await world.join(`w${round}`);
      expect(await world.claim(`w${round}`)).toBe('a');
      await world.fleet.lose(`w${round}`);
    }
    await world.join('last');
    expect(await world.claim('last')).toBeUndefined();
    expect((await world.fleet.status()).loops).toMatchObject([{ id: 'a', status: 'held', crashes: 5 }]);
    expect(await world.fleet.requeue('a')).toBe(true);
    expect(await world.claim('last')).toBe('a');
  });

  test('loops are claimed by priority, then by age, and one that waits long enough comes first', async () => {
    await world.join('w');
    for (const [id, priority] of [
      ['low', -1],
      ['one', 0],
      ['two', 0],
      ['high', 5],
    ] as const)
      await world.submit(id, { priority });
    await world.execute("update ralphd.loops set queued_at = now() - interval '2 hours' where id = 'low'");
    const order = [];
    for (let next = await world.claim('w'); next !== undefined; next = await world.claim('w')) order.push(next);
    expect(order).toEqual(['low', 'high', 'one', 'two']);
  });

  test('the limit of an account is never exceeded, however many claim at once, and starves nobody else', async () => {
    await world.fleet.limitAccount('pro', { most: 2 });
    await world.join(...Array.from({ length: 6 }, (_, number) => `w${number}`));
    for (let number = 0; number < 12; number += 1) await world.submit(`pro-${number}`, { account: 'pro', priority: 9 });
    await world.submit('free');
    const claims = await Promise.all(
      Array.from({ length: 12 }, async (_, number) => await world.claim(`w${number % 6}`)),
    );
    const given = claims.filter((id) => id !== undefined);
    expect(given).toHaveLength(3);
    expect(given).toContain('free');
  });

  test('an account that is blocked holds all of its loops back, and a part of it is kept for people', async () => {
    await world.join('w');
    await world.fleet.limitAccount('pro', { most: 2, reserve: 1 });
    await world.submit('scheduled-1', { account: 'pro', byPerson: false });
    await world.submit('scheduled-2', { account: 'pro', byPerson: false });
    expect(await world.claim('w')).toBe('scheduled-1');
    expect(await world.claim('w')).toBeUndefined();
    await world.submit('person', { account: 'pro' });
    expect(await world.claim('w')).toBe('person');
    await world.fleet.append({
      ...batchOf('person', 1, 0),
      blockedUntil: new Date(Date.now() + 3_600_000).toISOString(),
    });
    await world.fleet.limitAccount('pro', { most: 9, reserve: 0 });
    expect(await world.claim('w')).toBeUndefined();
    await world.fleet.limitAccount('pro', { blockedUntil: null });
    expect(await world.claim('w')).toBe('scheduled-2');
  });

  test('a command brings a resting loop to a worker only to be answered, even to a full one', async () => {
    await world.join('w');
    await world.submit('a');
    await world.claim('w');
    await world.fleet.append({ ...batchOf('a', 1, 0), status: 'paused' });
    await world.fleet.release('w', 'a', 1);
    expect(await world.fleet.claim('w', true)).toBeUndefined();
    expect(await world.fleet.send('a', 'c', '{}')).toBe(true);
    expect(await world.fleet.claim('w', true)).toMatchObject({ loop: 'a', epoch: 2, onlyCommands: true });
    expect(await world.fleet.beat('w', false)).toEqual({ waiting: [{ loop: 'a', id: 'c', body: '{}' }] });
    const { waitedMs } = await world.fleet.append({ ...batchOf('a', 2, 2), answers: ['c'] });
    expect(waitedMs).toEqual([expect.any(Number)]);
    expect(await world.fleet.beat('w', false)).toEqual({ waiting: [] });
  });

  test('a due time starts one loop, however many workers look, also those that were missed, and one that nobody can read stops no other', async () => {
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
    expect(await world.fleet.addSchedule(newSchedule(given, hourAgo))).toBe(true);
    const other = { ...given, submission: { ...row, title: 'Something else' } };
    expect(await world.fleet.addSchedule(newSchedule(other, hourAgo))).toBe(false);
    // Of a newer version, or with a time zone that this machine does not know.
    for (const [id, more] of [
      ['a-zone', { zone: 'Mars/Olympus', every: '@daily' }],
      ['a-request', { submission: { ...row, request: request.replace('"prompt":', '"wish":') } }],
    ] as const)
      await world.fleet.addSchedule({ ...given, ...more, id, nextMs: hourAgo });
    const reported = new Set<string>();
    const report = (message: string) => reported.add(message.split(' starts')[0] ?? '');
    await Promise.all([1, 2, 3].map(async () => await fireSchedules(world.fleet, { report })));
    expect([...reported].toSorted()).toEqual(['Schedule a-request', 'Schedule a-zone']);
    for (const id of ['a-zone', 'a-request']) await world.fleet.removeSchedule(id);
    await fireSchedules(world.fleet, {});
    const { loops, schedules } = await world.fleet.status();
    expect(loops.map(({ title }) => title)).toEqual(['Tidy up']);
    expect(schedules).toMatchObject([{ id: 'nightly', every: '1h' }]);
    expect(schedules[0]?.nextMs).toBeGreaterThan(Date.now());
    expect(await world.fleet.removeSchedule('nightly')).toBe(true);
    expect((await world.fleet.status()).schedules).toEqual([]);
  });
});
