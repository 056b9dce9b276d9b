import { beforeAll, expect, test } from 'vitest';
import { type Fleet, migrateFleet, openFleet, parseFleetAddress } from '../../src/fleet/index.ts';
import { createProxy, type DatabaseProxy } from '../support/postgres/proxy.ts';
import { createDatabase, describeWithPostgres, execute } from '../support/postgres/shared.ts';
import { sampleSubmission, sampleWorker } from './samples.ts';

interface Call {
  /** The function of the schema. */
  readonly name: string;
  readonly before?: (fleet: Fleet) => Promise<unknown>;
  readonly call: (fleet: Fleet) => Promise<unknown>;
  /** What the caller learns, although the first answer was lost. */
  readonly answer: unknown;
  /** What is true afterwards, by asking again. */
  readonly after?: (fleet: Fleet) => Promise<unknown>;
  readonly state?: unknown;
}

const owned = async (fleet: Fleet) => {
  await fleet.submit(sampleSubmission('a'));
  await fleet.claim('w', false);
};
const batch = { loopId: 'a', epoch: 1, after: 0, id: 'batch', lines: ['1\n', '2\n'], types: ['x', 'y'] };
const place = async (fleet: Fleet) => await fleet.glance('a');
const listed = async (fleet: Fleet) => (await fleet.status()).loops.map(({ id, crashes }) => `${id} ${crashes}`);
const schedule = {
  id: 's',
  every: '1h',
  zone: 'UTC',
  missed: 'one',
  nextMs: 1,
  submission: sampleSubmission('x'),
} as const;

const calls: readonly Call[] = [
  {
    name: 'join_fleet',
    before: owned,
    // Another life of the same machine: it must learn what it adopts.
    call: async (fleet) =>
      (await fleet.join({ ...sampleWorker('w'), id: 'w2' })).map(({ loop, epoch }) => [loop, epoch]),
    answer: [['a', 2]],
  },
  { name: 'beat', before: owned, call: (fleet) => fleet.beat('w', false), answer: { waiting: [] } },
  { name: 'look', call: async (fleet) => (await fleet.look()).freed, answer: [] },
  {
    name: 'leave',
    before: owned,
    call: (fleet) => fleet.leave('w'),
    answer: undefined,
    after: place,
    state: { epoch: 2, owner: null },
  },
  { name: 'lose', before: owned, call: (fleet) => fleet.lose('w'), answer: undefined, after: listed, state: ['a 1'] },
  {
    name: 'claim',
    before: async (fleet) => {
      for (const id of ['a', 'b']) await fleet.submit(sampleSubmission(id));
    },
    call: (fleet) => fleet.claim('w', false),
    answer: { loop: 'a', epoch: 1, onlyCommands: false },
    after: async (fleet) => (await fleet.status()).loops.map(({ id, worker }) => [id, worker]),
    state: [
      ['a', 'w'],
      ['b', null],
    ],
  },
  {
    name: 'claim',
    before: async (fleet) => {
      await owned(fleet);
      await fleet.append({ ...batch, status: 'paused' });
      await fleet.release('w', 'a', 1);
      await fleet.send('a', 'c', '{}');
    },
    call: (fleet) => fleet.claim('w', true),
    answer: { loop: 'a', epoch: 2, onlyCommands: true },
  },
  {
    name: 'take',
    before: (fleet) => fleet.submit(sampleSubmission('a')),
    call: (fleet) => fleet.take('w', 'a'),
    answer: { outcome: 'given', epoch: 1 },
  },
  {
    name: 'found',
    call: (fleet) => fleet.found('w', 'a'),
    answer: true,
    after: place,
    state: { epoch: 1, owner: 'w' },
  },
  {
    name: 'release',
    before: owned,
    call: async (fleet) => void (await fleet.release('w', 'a', 1)),
    answer: undefined,
    after: place,
    state: { owner: null, status: 'queued' },
  },
  {
    name: 'hold',
    before: owned,
    call: async (fleet) => void (await fleet.hold('a', 1, 'why')),
    answer: undefined,
    after: place,
    state: { status: 'held' },
  },
  {
    name: 'postpone',
    before: owned,
    call: async (fleet) => void (await fleet.postpone('a', 1, 'why')),
    answer: undefined,
    after: listed,
    state: ['a 1'],
  },
  {
    name: 'append',
    before: owned,
    call: (fleet) => fleet.append(batch),
    answer: { outcome: 'written', lastSeq: 2 },
    after: (fleet) => fleet.facts('a', 0, 9),
    state: [{ seq: 1 }, { seq: 2 }],
  },
  { name: 'save', before: owned, call: (fleet) => fleet.save('a', 1, { upto: 0, document: '{}' }), answer: true },
  { name: 'facts', before: owned, call: (fleet) => fleet.facts('a', 0, 9), answer: [] },
  { name: 'look_at', before: owned, call: (fleet) => fleet.lookAt('a'), answer: { epoch: 1 } },
  { name: 'glance', before: owned, call: (fleet) => fleet.glance('a'), answer: { epoch: 1 } },
  { name: 'versions', call: (fleet) => fleet.versions(), answer: [] },
  {
    name: 'send',
    before: owned,
    call: (fleet) => fleet.send('a', 'c', '{}'),
    answer: true,
    after: (fleet) => fleet.waiting(['a']),
    state: [{ id: 'c' }],
  },
  { name: 'take_back', before: owned, call: (fleet) => fleet.takeBack('a', 'c'), answer: undefined },
  { name: 'settle', before: owned, call: (fleet) => fleet.settle('a', 'c'), answer: undefined },
  { name: 'waiting', call: (fleet) => fleet.waiting(['a']), answer: [] },
  { name: 'submit', call: (fleet) => fleet.submit(sampleSubmission('a')), answer: true, after: listed, state: ['a 0'] },
  { name: 'add_schedule', call: (fleet) => fleet.addSchedule(schedule), answer: true },
  { name: 'due_schedules', call: (fleet) => fleet.dueSchedules(), answer: [] },
  {
    name: 'fire',
    before: (fleet) => fleet.addSchedule(schedule),
    call: async (fleet) =>
      void (await fleet.fire({ id: 's', dueMs: 1, nextMs: 9e15, submissions: [sampleSubmission('x1')] })),
    answer: undefined,
    after: listed,
    state: ['x1 0'],
  },
  { name: 'limit_account', call: (fleet) => fleet.limitAccount('pro', { most: 2 }), answer: undefined },
  { name: 'status', call: (fleet) => fleet.status(), answer: { ended: 0 } },
  // What is gone is gone: the second attempt finds nothing left to do, and the caller is told so.
  {
    name: 'remove_loop',
    before: async (fleet) => {
      await owned(fleet);
      await fleet.release('w', 'a', 1);
    },
    call: (fleet) => fleet.remove('a', 'ann'),
    answer: 'missing',
    after: listed,
    state: [],
  },
  {
    name: 'withdraw',
    before: (fleet) => fleet.submit(sampleSubmission('a')),
    call: (fleet) => fleet.withdraw('a'),
    answer: false,
    after: listed,
    state: [],
  },
  {
    name: 'requeue',
    before: async (fleet) => {
      await owned(fleet);
      await fleet.hold('a', 1, 'why');
    },
    call: (fleet) => fleet.requeue('a'),
    answer: false,
    after: place,
    state: { status: 'queued' },
  },
  {
    name: 'remove_schedule',
    before: (fleet) => fleet.addSchedule(schedule),
    call: (fleet) => fleet.removeSchedule('s'),
    answer: false,
    after: (fleet) => fleet.dueSchedules(),
    state: [],
  },
];

describeWithPostgres('a fleet whose database answers into a broken connection', () => {
  let proxy: DatabaseProxy;
  let url: string;

  beforeAll(async () => {
    const stack = new AsyncDisposableStack();
    ({ url } = stack.use(await createDatabase()));
    await migrateFleet(parseFleetAddress(url));
    proxy = stack.use(await createProxy(url));
    return async () => await stack.disposeAsync();
  });

  test.each(calls)(
    '$name is carried out once and says the same again',
    async ({ name, before, call, answer, after, state }) => {
      await execute(
        url,
        'truncate ralphd.worker, ralphd.account, ralphd.loops, ralphd.schedule, ralphd.removed cascade',
      );
      await using direct = openFleet(url, { connections: 1 });
      await using fleet = openFleet(proxy.url, { connections: 1 });
      await direct.join(sampleWorker('w'));
      await before?.(direct);
      const lost = proxy.lost;
      proxy.loseAnswerTo(`ralphd.${name}(`);
      expect(await call(fleet)).toEqual(matching(answer));
      expect(proxy.lost).toBe(lost + 1);
      if (after !== undefined) expect(await after(direct)).toEqual(matching(state));
    },
  );
});

function matching(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(matching);
  return typeof value === 'object' && value !== null ? expect.objectContaining(value) : value;
}
