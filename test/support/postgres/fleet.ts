import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach } from 'vitest';
import { type Fleet, migrateFleet, openFleet, parseFleetAddress, type WorkerNote } from '../../../src/fleet/index.ts';
import { createDatabase, execute, type TestDatabase } from './shared.ts';

/** What every worker of these tests says of itself. */
export const workerNote = {
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

/** What a test may say about a loop that it submits. */
export interface SubmittedAs {
  readonly priority?: number;
  readonly account?: string;
  readonly byPerson?: boolean;
  readonly agent?: string;
  readonly labels?: readonly string[];
  readonly repository?: string;
}

/** A fleet in a database of its own, empty before each test of a suite. */
export interface EmptyFleet {
  readonly fleet: Fleet;
  readonly url: string;
  execute(statement: string): Promise<void>;
  join(...ids: readonly string[]): Promise<void>;
  joinAs(id: string, more: Partial<WorkerNote>): Promise<void>;
  submit(id: string, more?: SubmittedAs): Promise<boolean>;
  claim(worker: string): Promise<string | undefined>;
  /** Has a worker drive a loop to its end. */
  finish(worker: string, id: string): Promise<void>;
}

/** Two lines that follow a number. */
export function batchOf(loopId: string, epoch: number, after: number) {
  return {
    loopId,
    epoch,
    after,
    id: randomUUID(),
    lines: [`${after + 1}\n`, `${after + 2}\n`],
    types: ['a', 'b'],
  };
}

/** Prepares an empty fleet for the tests of a suite. */
export function useEmptyFleet(): EmptyFleet {
  let database: TestDatabase | undefined;
  let opened: Fleet | undefined;
  const urlOf = () => database?.url ?? '';
  const fleetOf = () => {
    if (opened === undefined) throw new Error('no fleet yet');
    return opened;
  };
  beforeAll(async () => {
    database = await createDatabase();
    await migrateFleet(parseFleetAddress(urlOf()));
    opened = openFleet(urlOf());
    return async () => {
      await opened?.[Symbol.asyncDispose]();
      await database?.[Symbol.asyncDispose]();
    };
  });
  beforeEach(async () => {
    const tables = 'worker, account, loops, removed, schedule'.split(', ').map((name) => `ralphd.${name}`);
    await execute(urlOf(), `truncate ${tables.join(', ')} cascade`);
    await execute(urlOf(), 'update ralphd.clock set tick = 0, moved_at = clock_timestamp()');
  });
  const joinAs = async (id: string, more: Partial<WorkerNote>) =>
    void (await fleetOf().join({ ...workerNote, id, machine: id, ...more }));
  const claim = async (worker: string) => (await fleetOf().claim(worker, false))?.loop;
  return {
    get fleet() {
      return fleetOf();
    },
    get url() {
      return urlOf();
    },
    execute: async (statement) => await execute(urlOf(), statement),
    joinAs,
    async join(...ids) {
      for (const id of ids) await joinAs(id, {});
    },
    async submit(id, more = {}) {
      const plain = { request: '{}', title: id, priority: 0, byPerson: true, agent: 'claude', labels: [] };
      return await fleetOf().submit({ id, ...plain, submittedBy: 'tester', ...more });
    },
    claim,
    async finish(worker, id) {
      await claim(worker);
      await fleetOf().append({ ...batchOf(id, 1, 0), status: 'ended' });
      await fleetOf().release(worker, id, 1);
    },
  };
}
