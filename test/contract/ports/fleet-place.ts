import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import { systemClock } from '../../../src/app/clock.ts';
import { createFleetCommandBus } from '../../../src/app/fleet/fleet-command-bus.ts';
import { createFleetEventBus } from '../../../src/app/fleet/fleet-event-bus.ts';
import { createFleetLoopStore } from '../../../src/app/fleet/fleet-loop-store.ts';
import { createFleetMember } from '../../../src/app/fleet/fleet-member.ts';
import type { Machine } from '../../../src/app/machine.ts';
import { nodeFiles } from '../../../src/files/index.ts';
import { systemError, watchFiles } from '../../../src/files/testing/faulty-files.ts';
import { migrateFleet, openFleet, parseFleetAddress } from '../../../src/fleet/index.ts';
import { openLoopFolders } from '../../../src/store/index.ts';
import { createDatabase, execute, type TestDatabase } from '../../support/postgres/shared.ts';
import type { CreatePlace, LoopPlaceUnderTest, ProcessUnderTest } from './adapter.ts';

const registry = { whileLocked: async <Result>(action: () => Promise<Result>) => await action(), refresh: () => {} };

/** One database for all places of a test file, empty for each of them. */
export function createFleetPlaces(): CreatePlace {
  let database: Promise<TestDatabase> | undefined;
  afterAll(async () => await (await database)?.[Symbol.asyncDispose]());
  return async () => {
    const { url } = await (database ??= prepare());
    await execute(url, 'truncate ralphd.worker, ralphd.account, ralphd.loops cascade');
    return createFleetPlace(url);
  };
}

async function prepare(): Promise<TestDatabase> {
  const database = await createDatabase();
  await migrateFleet(parseFleetAddress(database.url));
  return database;
}

/** Loops in PostgreSQL, shared by simulated workers: each on a machine of its own. */
function createFleetPlace(url: string): LoopPlaceUnderTest {
  const top = mkdtempSync(path.join(tmpdir(), 'ralphd-fleet-ports-'));
  const disk = createDisk(top);
  const fleets: AsyncDisposable[] = [];
  let processes = 0;
  // A process dies at once; that the database knows is awaited by whoever looks next.
  let deaths: Promise<void> = Promise.resolve();

  function startProcess(): ProcessUnderTest {
    processes += 1;
    const self = { host: `host-${processes}`, bootId: 'boot', pid: processes, startTime: String(processes) };
    const machine: Machine = {
      clock: systemClock,
      self: () => self,
      livenessOf: () => 'alive',
      isRunning: () => true,
    };
    const fleet = openFleet(url);
    fleets.push(fleet);
    const offer = { machine: self.host, version: '0', capacity: 9, agents: ['claude'], labels: [] };
    const member = createFleetMember(fleet, self, offer);
    const root = path.join(top, self.host);
    mkdirSync(root);
    const now = () => new Date(systemClock.nowMs());
    const folders = openLoopFolders({
      root,
      owner: self,
      livenessOf: machine.livenessOf,
      now,
      files: disk.files,
      segmentBytes: 8 * 1024,
    });
    const events = createFleetEventBus(fleet);
    const commands = createFleetCommandBus(fleet, events);
    const store = createFleetLoopStore({ member, folders, registry, machine, commands });
    const afterDeaths =
      <Args extends readonly unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
      async (...args: Args) => {
        await deaths;
        return await call(...args);
      };
    return {
      store: {
        ...store,
        open: afterDeaths(store.open),
        read: afterDeaths(store.read),
        changesSince: afterDeaths(store.changesSince),
      },
      commands,
      events,
      pulses: {
        follow: () => {
          throw new Error('a fleet has no pulses');
        },
      },
      sinkOf: () => () => {},
      kill() {
        deaths = deaths.then(async () => await fleet.lose(member.id));
      },
    };
  }

  return {
    startProcess,
    setFull: disk.setFull,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(fleets.map(async (fleet) => await fleet[Symbol.asyncDispose]()));
      rmSync(top, { recursive: true, force: true });
    },
  };
}

/** The real disk, which can be full: then no write succeeds while a loop still holds its reserve. */
function createDisk(top: string) {
  let isFull = false;
  const isReserve = (file: string | undefined) => file !== undefined && path.basename(file) === 'reserve';
  const isHeldBack = () =>
    readdirSync(top, { recursive: true }).some((file) => path.basename(String(file)) === 'reserve');
  const files = watchFiles(nodeFiles, ({ name, path: file }) => {
    const needsRoom = name === 'write' || name === 'create';
    if (isFull && needsRoom && (isReserve(file) || isHeldBack())) throw systemError('ENOSPC');
  });
  return { files, setFull: (now: boolean) => void (isFull = now) };
}
