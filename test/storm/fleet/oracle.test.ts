import { Client } from 'pg';
import { expect, test } from 'vitest';
import { migrateFleet, openFleet, parseFleetAddress } from '../../../src/fleet/index.ts';
import { sampleSubmission, sampleWorker } from '../../fleet/samples.ts';
import { createDatabase, describeWithPostgres } from '../../support/postgres/shared.ts';
import { witnesses } from './oracle.ts';

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
  for (const id of ['w', 'v']) await fleet.join(sampleWorker(id));
  await fleet.submit(sampleSubmission('a'));
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
