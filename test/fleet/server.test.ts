import { Client } from 'pg';
import { expect, test } from 'vitest';
import { createDatabase, describeWithPostgres } from '../support/postgres/shared.ts';

describeWithPostgres('the PostgreSQL of the tests', () => {
  test('every test gets an empty database on one server', async () => {
    await using one = await createDatabase();
    await using other = await createDatabase();
    expect(one.url).not.toBe(other.url);
    const client = new Client({ connectionString: one.url });
    await client.connect();
    const { rows } = await client.query<{ count: string }>(
      "select count(*) from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
    );
    await client.end();
    expect(rows).toEqual([{ count: '0' }]);
  });
});
