import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createProxy } from '../../support/postgres/proxy.ts';
import { createDatabase, describeWithPostgres } from '../../support/postgres/shared.ts';
import { judge, witnesses } from './oracle.ts';
import { createFleetWorld } from './world.ts';

/** One loop and two workers, of which the first drives it; their network to the database can fail. */
async function setUp() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ralphd-fleet-'));
  const stack = new AsyncDisposableStack();
  onTestFinished(async () => {
    await stack.disposeAsync();
    rmSync(folder, { recursive: true, force: true });
  });
  const { url } = stack.use(await createDatabase());
  const proxy = stack.use(await createProxy(url));
  const database = { url, workersUrl: proxy.url };
  const world = stack.use(await createFleetWorld(folder, { workers: 2, capacity: 1, database }));
  await world.query(witnesses);
  await world.submit(1);
  const [first, second] = world.workers;
  if (first === undefined || second === undefined) throw new Error('two workers');
  first.start();
  await expect.poll(() => world.ticks().length).toBeGreaterThan(2);
  const place = async () => {
    const [row] = await world.query<{ machine: string | null; epoch: number; seq: number }>(
      'select w.machine, l.epoch, l.seq::integer from ralphd.loops l left join ralphd.worker w on w.id = l.owner',
    );
    return row;
  };
  const workersSeen = async () => (await world.query('select id from ralphd.worker')).length;
  const violations = async () => (await judge(world, [])).violations;
  return { world, proxy, first, second, place, workersSeen, violations };
}

describeWithPostgres('a fleet of two workers', () => {
  test.concurrent('the agents of a loop that was given away stay stopped when their worker comes back, and are ended', async ({
    expect: expectHere,
  }) => {
    const { world, first, second, place, workersSeen, violations } = await setUp();
    second.start();
    await expectHere.poll(workersSeen).toBe(2);
    first.signal('SIGKILL');
    await expectHere.poll(async () => (await place())?.machine).toBe(second.machine());
    first.start();
    await expectHere.poll(workersSeen).toBe(3);
    const pid = world.ticks()[0]?.pid;
    await expectHere.poll(() => world.ticks().filter((tick) => tick.pid !== pid).length).toBeGreaterThan(5);
    expectHere(await violations()).toEqual([]);
  });
});
