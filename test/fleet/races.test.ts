import { Client } from 'pg';
import { expect, test } from 'vitest';
import { useEmptyFleet } from '../support/postgres/fleet.ts';
import { describeWithPostgres } from '../support/postgres/shared.ts';

describeWithPostgres('two who meet in the database of a fleet', () => {
  const world = useEmptyFleet();

  /** Nothing was heard of any worker but one. */
  const silence = async (but: string) =>
    await world.execute(`update ralphd.clock set tick = 40; update ralphd.worker set tick = 40 where id = '${but}'`);

  /** A transaction of somebody who froze, or whose network broke, in the middle. */
  const openTransaction = async (statement: string) => {
    const client = new Client({ connectionString: world.url });
    await client.connect();
    await client.query(`begin; ${statement}`);
    return client;
  };

  test('a transaction that is left open on a loop of a dead worker holds back that worker alone', async () => {
    await world.join('dead', 'other', 'awake');
    for (const id of ['a', 'b']) await world.submit(id);
    await world.claim('dead');
    await world.claim('other');
    const frozen = await openTransaction("select 1 from ralphd.loops where id = 'a' for update");
    await silence('awake');
    expect((await world.fleet.look({ patienceMs: 0 })).freed).toEqual(['b']);
    await frozen.end();
    await expect.poll(async () => (await world.fleet.look()).freed).toEqual(['a']);
  });

  test('two lookers at once move the clock by one tick and free a lost loop once', async () => {
    await world.join('dead', 'one', 'two');
    await world.submit('a');
    await world.claim('dead');
    await world.execute("update ralphd.clock set tick = 40, moved_at = now() - interval '1 second'");
    await world.execute("update ralphd.worker set tick = 40 where id <> 'dead'");
    const looks = await Promise.all(Array.from({ length: 6 }, async () => await world.fleet.look()));
    expect(looks.flatMap(({ freed }) => freed)).toEqual(['a']);
    expect(new Set(looks.map(({ tick }) => tick))).toEqual(new Set([41]));
    expect(await world.fleet.glance('a')).toMatchObject({ epoch: 2, owner: null });
    const claims = await Promise.all(['one', 'two', 'one', 'two'].map(async (id) => await world.claim(id)));
    expect(claims.filter((id) => id !== undefined)).toEqual(['a']);
  });

  test('a sign of life that arrives while somebody takes a loop of its silent worker counts', async () => {
    await world.join('silent', 'other');
    await world.submit('a');
    await world.claim('silent');
    await silence('other');
    const thawing = await openTransaction("select ralphd.beat('silent', false)");
    const taking = world.fleet.take('other', 'a');
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await expect.poll(async () => (await thawing.query(waiting)).rowCount).toBe(1);
    await thawing.query('commit');
    await thawing.end();
    expect(await taking).toMatchObject({ outcome: 'taken' });
    expect(await world.fleet.beat('silent', false)).toBeDefined();
  });
});
