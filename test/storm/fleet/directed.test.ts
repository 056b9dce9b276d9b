import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, type TestContext, test } from 'vitest';
import { createProxy } from '../../support/postgres/proxy.ts';
import { createDatabase, describeWithPostgres } from '../../support/postgres/shared.ts';
import { clockIn, fakeTime } from '../../support/set-clock.ts';
import { judge, witnesses } from './oracle.ts';
import { pause } from './storm.ts';
import { createFleetWorld } from './world.ts';

/** Longer than the fleet waits for a silent worker while its clock moves; the long form is in the documentation. */
const outageMs = Number(process.env['FLEET_OUTAGE_MS'] ?? 16_000);

/** One loop, driven by the first of two workers, each with a network of its own to the database; the second is not started. */
async function setUp({ onTestFinished, expect }: TestContext, isClockSet = false) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ralphd-fleet-'));
  const stack = new AsyncDisposableStack();
  onTestFinished(async () => {
    await stack.disposeAsync();
    rmSync(folder, { recursive: true, force: true });
  });
  const { url } = stack.use(await createDatabase());
  const networks = [stack.use(await createProxy(url)), stack.use(await createProxy(url))];
  const clock = clockIn(folder);
  const world = stack.use(
    await createFleetWorld(folder, {
      workers: 2,
      capacity: 1,
      database: { url, workerUrls: networks.map((network) => network.url) },
      env: isClockSet ? clock.env : {},
    }),
  );
  await world.query(witnesses);
  await world.submit(1);
  const [first, second] = world.workers;
  const [network] = networks;
  if (first === undefined || second === undefined || network === undefined) throw new Error('two workers');
  first.start();
  const ticks = () => world.ticks().length;
  const worksOn = async (by = 5) => {
    const before = ticks();
    await expect.poll(ticks).toBeGreaterThan(before + by);
  };
  await worksOn(2);
  const place = async () => {
    const [row] = await world.query<{ machine: string | null; epoch: number }>(
      'select w.machine, l.epoch from ralphd.loops l left join ralphd.worker w on w.id = l.owner',
    );
    return row;
  };
  return {
    world,
    first,
    second,
    network,
    clock,
    place,
    ticks,
    worksOn,
    lives: async () => (await world.query('select id from ralphd.worker')).length,
    violations: async () => (await judge(world, [])).violations,
    pids: () => new Set(world.ticks().map(({ pid }) => pid)),
  };
}

describeWithPostgres('a loop of a fleet', () => {
  describe.concurrent('in the hands of two workers', () => {
    test('is taken over, and its agent stays stopped when its worker comes back, and is ended', async (context) => {
      const { expect } = context;
      const { world, first, second, place, lives, pids, violations } = await setUp(context);
      second.start();
      await expect.poll(lives).toBe(2);
      first.signal('SIGKILL');
      await expect.poll(async () => (await place())?.machine).toBe(second.machine());
      const left = pids();
      first.start();
      await expect.poll(lives).toBe(3);
      await expect.poll(() => world.ticks().filter(({ pid }) => !left.has(pid)).length).toBeGreaterThan(5);
      expect(await violations()).toEqual([]);
    });

    test('stays where it is while the database is away, and its agent waits and goes on', async (context) => {
      const { expect } = context;
      const { network, place, ticks, worksOn, violations } = await setUp(context);
      network.cut();
      // The outage itself.
      await pause(outageMs / 2);
      const stoppedAt = ticks();
      await pause(outageMs / 2);
      expect(ticks()).toBe(stoppedAt);
      network.heal();
      await worksOn(20);
      expect(await place()).toMatchObject({ epoch: 1 });
      expect(await violations()).toEqual([]);
    });

    test('is taken over from a worker whose network swallows everything, without a word from either side', async (context) => {
      const { expect } = context;
      const { second, network, place, lives, worksOn, violations } = await setUp(context);
      second.start();
      await expect.poll(lives).toBe(2);
      network.stall();
      await expect.poll(async () => (await place())?.machine).toBe(second.machine());
      network.heal();
      await worksOn();
      // The first learns that it was lost, and comes back under a new name.
      await expect.poll(lives).toBe(3);
      await worksOn();
      expect(await violations()).toEqual([]);
    });

    test('stays with the last worker, however long that is frozen, since nobody sees the time pass', async (context) => {
      const { expect } = context;
      const { first, place, worksOn, violations } = await setUp(context);
      first.signal('SIGSTOP');
      await pause(11_000);
      first.signal('SIGCONT');
      await worksOn(20);
      expect(await place()).toMatchObject({ epoch: 1 });
      expect(await violations()).toEqual([]);
    });

    test('waits when all workers are dead, and is taken over by the next one that starts', async (context) => {
      const { expect } = context;
      const { first, second, place, lives, worksOn, violations } = await setUp(context);
      first.signal('SIGKILL');
      second.start();
      await expect.poll(lives).toBe(2);
      await expect.poll(async () => (await place())?.machine).toBe(second.machine());
      await worksOn();
      expect(await violations()).toEqual([]);
    });

    test.skipIf(fakeTime === undefined)(
      'does not change hands when the clocks of the workers are set',
      async (context) => {
        const { expect } = context;
        const { second, clock, place, lives, worksOn, violations } = await setUp(context, true);
        second.start();
        await expect.poll(lives).toBe(2);
        for (const offset of ['+1h', '-1h']) {
          clock.set(offset);
          await worksOn(15);
        }
        expect(await place()).toMatchObject({ epoch: 1 });
        expect(await violations()).toEqual([]);
      },
    );
  });
});
