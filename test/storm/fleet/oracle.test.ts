import { Client } from 'pg';
import { expect, test } from 'vitest';
import { migrateFleet, openFleet, parseFleetAddress } from '../../../src/fleet/index.ts';
import { createDatabase, describeWithPostgres } from '../../support/postgres/shared.ts';
import { witnesses } from './oracle.ts';

const note = {
  host: 'h',
  bootId: 'b',
  pid: 1,
  startTime: '1',
  version: '0',
  capacity: 9,
  agents: ['claude'],
  labels: [],
};
const submission = { id: 'a', request: '{}', title: 'a', priority: 0, byPerson: true, agent: 'claude', labels: [] };

/** What an owner that was lost tries to record, under some change to the functions; how much of it the witness saw. */
async function staleFactsWith(from: string, to: string): Promise<number> {
  await using database = await createDatabase();
  await migrateFleet(parseFleetAddress(database.url));
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(witnesses);
  await client.query(
    "do $$ begin execute replace((select pg_get_functiondef(oid) from pg_proc where oid = any(array['ralphd.append'::regproc, 'ralphd.lose'::regproc]) and prosrc like $q$%" +
      from +
      '%$q$), $q$' +
      from +
      '$q$, $q$' +
      to +
      '$q$); end $$',
  );
  await using fleet = openFleet(database.url);
  for (const id of ['w', 'v']) await fleet.join({ ...note, id, machine: id });
  await fleet.submit({ ...submission, submittedBy: 'tester' });
  await fleet.claim('w', false);
  const batch = { loopId: 'a', epoch: 1, lines: ['x\n'], types: ['x'] };
  await fleet.append({ ...batch, after: 0, id: 'before' });
  await fleet.lose('w');
  await fleet.append({ ...batch, after: 1, id: 'stale' });
  const { rows } = await client.query<{ count: string }>('select count(*) from ralphd.witness_stale');
  await client.end();
  return Number(rows[0]?.count);
}

describeWithPostgres('the witness of stale facts', () => {
  test('it sees none as the functions are, and each when the epoch is not compared', async () => {
    const check = 'l.epoch <> my_epoch or l.owner is null';
    expect(await staleFactsWith(check, check)).toBe(0);
    expect(await staleFactsWith(check, 'false')).toBe(1);
  });
});
