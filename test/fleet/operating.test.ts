import { expect, test } from 'vitest';
import { trustCases } from '../../src/app/testing/trust-cases.ts';
import { migrateFleet, openFleet, parseFleetAddress } from '../../src/fleet/index.ts';
import { tables } from '../../src/fleet/schema/tables.ts';
import { batchOf, useEmptyFleet, workerNote } from '../support/postgres/fleet.ts';
import { createDatabase, describeWithPostgres, execute } from '../support/postgres/shared.ts';

const day = 24 * 3_600_000;
const team = 'https://git.example.org/team/';

describeWithPostgres('running a fleet', () => {
  const world = useEmptyFleet();

  test('a database of the first version is brought up to date with what is in it', async () => {
    await using old = await createDatabase();
    await execute(
      old.url,
      `create schema ralphd; ${tables}
      create table ralphd.schema_version (version integer not null);
      insert into ralphd.schema_version values (1);
      create function ralphd.status() returns integer language sql as 'select 1';
      insert into ralphd.loops (id, status, seq, queued_at) values ('over', 'ended', 1, now() - interval '9 days'), ('open', 'paused', 1, now());
      insert into ralphd.fact (loop, seq, epoch, batch, type, line, at) values ('over', 1, 1, 'b', 't', 'l', now() - interval '3 days')`,
    );
    const { to } = await migrateFleet(parseFleetAddress(world.url));
    expect(await migrateFleet(parseFleetAddress(old.url))).toEqual({ from: 1, to });
    await using fleet = openFleet(old.url);
    await fleet.assertReady();
    expect((await fleet.status()).loops).toMatchObject([{ id: 'open' }]);
    expect(await fleet.prunable(4 * day, 10)).toEqual([]);
    expect(await fleet.prunable(2 * day, 10)).toMatchObject([{ loop: 'over', facts: 1 }]);
  });

  test('the database trusts the same repositories for a worker as the worker itself', async () => {
    const asked = trustCases.map(([trust, repository], index) => ({ trust, repository, id: `w${index}` }));
    for (const { trust, repository, id } of asked) {
      await world.joinAs(id, { trust });
      await world.submit(`for-${id}`, { repository, labels: [] });
    }
    // Each worker is asked while only its own loop waits.
    await world.execute("update ralphd.loops set status = 'held'");
    const found: boolean[] = [];
    for (const { id } of asked) {
      await world.fleet.requeue(`for-${id}`);
      found.push((await world.claim(id)) !== undefined);
      await world.execute("update ralphd.loops set status = 'held' where status = 'queued'");
    }
    expect(found).toEqual(trustCases.map(([, , is]) => is));
  });

  test('a loop waits for a worker that may drive it, and the overview says what none of them offers', async () => {
    const reasons = async () => (await world.fleet.status()).loops.map(({ id, lacks }) => [id, lacks]);
    await world.submit('fits', { repository: `${team}tool.git` });
    expect(await reasons()).toEqual([['fits', 'worker']]);
    await world.joinAs('w', { trust: [team], accounts: ['pro'], labels: ['linux'] });
    await world.joinAs('v', { trust: ['all'], accounts: [], labels: ['gpu'], agents: ['codex'] });
    await world.submit('agent', { agent: 'gemini' });
    await world.submit('label', { labels: ['linux', 'mac'] });
    await world.submit('account', { account: 'team' });
    await world.submit('combination', { labels: ['gpu'] });
    await world.fleet.lose('v');
    await world.submit('trust', { repository: 'https://git.example.org/others/tool.git' });
    await world.execute("update ralphd.worker set lost_at = null where id = 'v'");
    await world.execute("update ralphd.worker set trust = '{}' where id = 'v'");
    expect(await reasons()).toEqual([
      ['fits', null],
      ['agent', 'agent'],
      ['label', 'label'],
      ['account', 'account'],
      ['combination', 'combination'],
      ['trust', 'trust'],
    ]);
    expect(await world.claim('w')).toBe('fits');
    expect(await world.claim('w')).toBeUndefined();
  });

  test('an overloaded provider gets half as many loops at once, counted once for all that met it, and one more every five minutes', async () => {
    await world.joinAs('w', { capacity: 99 });
    for (let number = 0; number < 9; number += 1) await world.submit(`l${number}`, { account: 'pro' });
    for (let number = 0; number < 6; number += 1) await world.claim('w');
    for (const id of ['l0', 'l1', 'l2']) {
      await world.fleet.append({
        ...batchOf(id, 1, 0),
        overloaded: true,
        wakeAt: new Date(Date.now() + day).toISOString(),
      });
    }
    const limit = async () => (await world.fleet.status()).accounts.map(({ atOnce, used }) => `${used} of ${atOnce}`);
    expect(await limit()).toEqual(['6 of 3']);
    // What is at work goes on; nothing is added until fewer run than are allowed now.
    expect(await world.claim('w')).toBeUndefined();
    for (const id of ['l0', 'l1', 'l2']) await world.fleet.release('w', id, 1);
    expect(await world.claim('w')).toBeUndefined();
    await world.execute("update ralphd.account set slowed_at = now() - interval '6 minutes'");
    expect(await limit()).toEqual(['3 of 4']);
    expect(await world.claim('w')).toBe('l6');
    expect(await world.claim('w')).toBeUndefined();
  });

  test('only loops that ended long enough ago are removed, with what is kept about them, however many ask at once', async () => {
    await world.join('w');
    for (const id of ['old', 'older', 'new']) {
      await world.submit(id, { repository: `${team}tool.git` });
      await world.finish('w', id);
    }
    for (const id of ['driven', 'held', 'paused', 'queued']) await world.submit(id);
    await world.execute(`update ralphd.loops set ended_at = now() - interval '40 days' where id <> 'new'`);
    await world.execute(`update ralphd.loops set ended_at = now() - interval '50 days' where id = 'older'`);
    await world.execute("update ralphd.loops set status = id where id in ('driven', 'held', 'paused', 'queued')");
    const listed = await world.fleet.prunable(30 * day, 10);
    expect(listed.map(({ loop, facts }) => [loop, facts])).toEqual([
      ['older', 2],
      ['old', 2],
    ]);
    expect(listed[0]?.bytes).toBeGreaterThan(0);
    const pruned = await Promise.all([1, 2, 3].map(async () => await world.fleet.prune(30 * day, 10)));
    expect(pruned.flat().toSorted()).toEqual(['old', 'older']);
    expect(await world.fleet.facts('old', 0, 9)).toEqual([]);
    expect((await world.fleet.status()).loops.map(({ id }) => id)).toEqual(['driven', 'held', 'paused', 'queued']);
    expect(await world.fleet.glance('new')).toMatchObject({ status: 'ended' });
    expect(await world.fleet.removedAmong(['old', 'new', 'never'])).toEqual([
      { loop: 'old', repository: `${team}tool.git` },
    ]);
  });

  test('an ended loop that somebody has open while old ones are removed stays', async () => {
    await world.join('w');
    await world.submit('a');
    await world.finish('w', 'a');
    await world.execute("update ralphd.loops set ended_at = now() - interval '40 days'");
    expect(await world.fleet.take('w', 'a')).toMatchObject({ outcome: 'given' });
    expect(await world.fleet.prune(day, 10)).toEqual([]);
    await world.fleet.release('w', 'a', 2);
    expect(await world.fleet.prune(day, 10)).toEqual(['a']);
  });

  test('a loop that is paused, set aside or over stays so when its worker only answers a command, dies over it, or comes back', async () => {
    const places = async () =>
      (await world.fleet.status()).loops.map(({ id, status, crashes }) => `${id} ${status} ${crashes}`);
    await world.join('w');
    for (const id of ['paused', 'held', 'over']) {
      await world.submit(id);
      await world.claim('w');
      if (id === 'held') await world.fleet.hold(id, 1, 'why');
      else await world.fleet.append({ ...batchOf(id, 1, 0), status: id === 'over' ? 'ended' : 'paused' });
      if (id === 'paused') await world.fleet.release('w', id, 1);
    }
    await world.execute("update ralphd.loops set seq = 2 where id = 'held'");
    const rest = ['paused paused 0', 'held held 0'];
    for (const id of ['paused', 'held']) {
      await world.fleet.send(id, 'c', '{}');
      expect(await world.fleet.claim('w', false)).toMatchObject({ loop: id, onlyCommands: true });
      await world.fleet.settle(id, 'c');
      if (id === 'paused') await world.fleet.release('w', id, 2);
    }
    expect(await places()).toEqual(rest);
    // The owner of what is set aside and of what is over dies.
    await world.fleet.lose('w');
    expect(await places()).toEqual(rest);
    expect((await world.fleet.status()).ended).toBe(1);
    await world.joinAs('v', { machine: 'v' });
    await world.fleet.send('paused', 'd', '{}');
    expect(await world.claim('v')).toBe('paused');
    expect(await world.fleet.join({ ...workerNote, id: 'again', machine: 'v' })).toEqual([]);
    expect(await places()).toEqual(rest);
    expect((await world.fleet.glance('paused'))?.owner).toBeNull();
  });

  test('workers remove what is older than was set, nothing if nothing was set, and one of them deletes its captures', async () => {
    await world.join('w');
    await world.submit('a', { repository: `${team}tool.git` });
    await world.finish('w', 'a');
    await world.execute("update ralphd.loops set ended_at = now() - interval '40 days'");
    expect(await world.fleet.pruneAsSet()).toEqual([]);
    await world.fleet.keepFor(30 * day);
    expect((await world.fleet.status()).keep).toBe(30 * day);
    expect(await world.fleet.pruneAsSet()).toEqual(['a']);
    await world.fleet.keepFor(null);
    expect(await world.fleet.nextCaptures(['https://elsewhere.example/'])).toBeUndefined();
    const asked = await Promise.all([1, 2].map(async () => await world.fleet.nextCaptures([team])));
    expect(asked.filter((each) => each !== undefined)).toEqual([{ loop: 'a', repository: `${team}tool.git` }]);
    await world.fleet.capturesGone('a');
    await world.execute('update ralphd.removed set tried_at = null');
    expect(await world.fleet.nextCaptures([team])).toBeUndefined();
  });

  test('workers that are gone for longer than loops are kept are forgotten, unless a loop still names them', async () => {
    await world.join('gone', 'needed', 'here');
    await world.submit('a');
    expect(await world.claim('needed')).toBe('a');
    await world.fleet.lose('needed');
    await world.fleet.lose('gone');
    await world.execute("update ralphd.worker set lost_at = now() - interval '2 days' where lost_at is not null");
    await world.fleet.prune(day, 10);
    expect((await world.fleet.status()).workers.map(({ id }) => id).toSorted()).toEqual(['here', 'needed']);
  });

  test('the figures count loops by place and account, and are as few for many loops as for one', async () => {
    await world.joinAs('w', { capacity: 4 });
    await world.fleet.limitAccount('pro', { most: 2, blockedUntil: new Date(Date.now() + day).toISOString() });
    for (let number = 0; number < 5; number += 1) await world.submit(`l${number}`, { account: 'pro' });
    await world.submit('due');
    await world.submit('waits');
    await world.execute("update ralphd.loops set wake_at = now() + interval '1 hour' where id = 'waits'");
    await world.execute("update ralphd.loops set queued_at = now() - interval '90 seconds' where id = 'due'");
    expect(await world.fleet.figures()).toMatchObject({
      loops: [
        { state: 'blocked', account: 'pro', count: 5 },
        { state: 'claimable', account: null, count: 1 },
        { state: 'waiting', account: null, count: 1 },
      ],
      oldestClaimableSeconds: expect.closeTo(90, -1),
      workers: { live: 1, draining: 0, lost: 0 },
      capacity: 4,
      accounts: [{ name: 'pro', isBlocked: true, limit: 2, used: 0 }],
    });
  });

  test('a user of the workers cannot take the steps of which the functions are made', async () => {
    const name = `outsider_${process.pid}_${Date.now().toString(36)}`;
    await world.execute(`create role ${name} login in role ralphd_worker`);
    const url = world.url.replace('postgres@', `${name}@`);
    await world.fleet.join({ ...workerNote, id: 'w' });
    await world.submit('a');
    for (const step of [
      "ralphd.give('w', 'a', null)",
      'ralphd.discard(jsonb_populate_record(null::ralphd.loops, \'{"id": "a"}\'))',
    ])
      await expect(execute(url, `select ${step}`)).rejects.toThrow('permission denied');
    await using own = openFleet(url);
    const { to: schema } = await migrateFleet(parseFleetAddress(world.url));
    expect(await own.health()).toMatchObject({ user: name, touchesTables: [], missingFunctions: 0, schema });
    await world.execute(`drop role ${name}`);
  });
});
