import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { migrateFleet, openFleet, parseFleetAddress } from '../../src/fleet/index.ts';
import { createDatabase, describeWithPostgres } from '../support/postgres/shared.ts';

describeWithPostgres('smoke', () => {
  test('smoke', async () => {
    await using db = await createDatabase();
    expect(await migrateFleet(parseFleetAddress(db.url))).toEqual({ from: 0, to: 1 });
    expect(await migrateFleet(parseFleetAddress(db.url))).toEqual({ from: 1, to: 1 });
    await using fleet = openFleet(db.url);
    await fleet.assertReady();
    const worker = {
      id: 'w',
      machine: 'm',
      host: 'h',
      bootId: 'b',
      pid: 1,
      startTime: '1',
      version: '0',
      capacity: 1,
      agents: ['claude'],
      labels: [],
    };
    expect(await fleet.join(worker)).toEqual([]);
    expect(await fleet.beat('w', false)).toEqual({ waiting: [] });
    expect((await fleet.look()).freed).toEqual([]);
    expect(
      await fleet.submit({
        id: 'a',
        request: '{}',
        title: 't',
        priority: 0,
        byPerson: true,
        agent: 'claude',
        labels: [],
        submittedBy: 'me',
      }),
    ).toBe(true);
    const claim = await fleet.claim('w', false);
    expect(claim).toMatchObject({ loop: 'a', epoch: 1, seq: 0 });
    const batch = { loopId: 'a', epoch: 1, after: 0, id: randomUUID(), lines: ['one\n'], types: ['x'] };
    expect(await fleet.append(batch)).toEqual({ outcome: 'written', lastSeq: 1 });
    expect(await fleet.append(batch)).toEqual({ outcome: 'written', lastSeq: 1 });
    expect(await fleet.append({ ...batch, id: 'other' })).toEqual({ outcome: 'gap', lastSeq: 1 });
    expect(await fleet.append({ ...batch, epoch: 2 })).toEqual({ outcome: 'fenced', lastSeq: 1 });
    expect(await fleet.facts('a', 0, 10)).toEqual([{ seq: 1, line: 'one\n' }]);
    expect(await fleet.save('a', 1, { upto: 1, document: '{}' })).toBe(true);
    expect(await fleet.lookAt('a')).toMatchObject({ status: 'driven', snapshotSeq: 1 });
    expect(await fleet.versions()).toEqual([{ id: 'a', version: 4, seq: 1 }]);
    expect(await fleet.send('a', 'c', 'body')).toBe(true);
    expect(await fleet.waiting(['a'])).toEqual([{ loop: 'a', id: 'c', body: 'body' }]);
    expect(await fleet.beat('w', false)).toEqual({ waiting: [{ loop: 'a', id: 'c', body: 'body' }] });
    await fleet.settle('a', 'c');
    expect(await fleet.waiting(['a'])).toEqual([]);
    expect(await fleet.status()).toMatchObject({ workers: [{ loops: 1 }] });
    expect(await fleet.release('w', 'a', 1)).toBe(true);
    expect(await fleet.take('w', 'a')).toMatchObject({ outcome: 'given', epoch: 2 });
    expect(await fleet.take('w', 'a')).toMatchObject({ outcome: 'taken', host: 'h' });
    await fleet.lose('w');
    expect(await fleet.beat('w', false)).toBe(undefined);
    expect(await fleet.lookAt('a')).toMatchObject({ status: 'queued', owner: { liveness: 'dead' } });
    expect(await fleet.remove('a')).toBe('removed');
  });
});
