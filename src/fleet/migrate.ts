import { Client } from 'pg';
import { failures, LoopError } from '../base/index.ts';
import type { FleetAddress } from './address.ts';
import { type Connection, noConnection, type Patience, reasonOf } from './connection.ts';
import { afterMigrations, migrations } from './schema/migrations.ts';

/** What a migration found and made. */
export interface Migrated {
  readonly from: number;
  readonly to: number;
}

/** Before this version, a server lacks what the schema uses. */
const oldestServer = 15;

/** Brings the schema up to date, all of it or nothing; refuses that of a newer ralphd. */
export async function migrateFleet({ url, place }: FleetAddress): Promise<Migrated> {
  const client = await openClient({ url, place });
  try {
    return await migrate(client, place);
  } catch (error) {
    if (error instanceof LoopError) throw error;
    throw new LoopError(failures.fleetMigrationFailed(place, reasonOf(error)), { cause: error });
  } finally {
    await client.end().catch(() => {});
  }
}

async function openClient({ url, place }: FleetAddress): Promise<Client> {
  try {
    const client = new Client({ connectionString: url, application_name: 'ralphd', connectionTimeoutMillis: 10_000 });
    // A connection that breaks rejects the statement under way.
    client.on('error', () => {});
    await client.connect();
    return client;
  } catch (error) {
    throw noConnection(error, place);
  }
}

async function migrate(client: Client, place: string): Promise<Migrated> {
  const server = await client.query<{ major: number }>(
    "select current_setting('server_version_num')::integer / 10000 as major",
  );
  const major = server.rows[0]?.major ?? 0;
  if (major < oldestServer) throw new LoopError(failures.fleetServerOld(place, major));
  await client.query('begin');
  // One at a time, however many workers are updated at once.
  await client.query('select pg_advisory_xact_lock(7264371)');
  await client.query('create schema if not exists ralphd');
  await client.query('create table if not exists ralphd.schema_version (version integer not null)');
  const { rows } = await client.query<{ version: number }>('select version from ralphd.schema_version');
  const from = rows[0]?.version ?? 0;
  if (from > migrations.length) throw new LoopError(failures.fleetNewer(place, from, migrations.length));
  for (const step of migrations.slice(from)) await client.query(step);
  await client.query(afterMigrations);
  await client.query('delete from ralphd.schema_version');
  await client.query('insert into ralphd.schema_version values ($1)', [migrations.length]);
  await client.query('commit');
  return { from, to: migrations.length };
}

/** Refuses a database without a fleet, and one whose schema this version does not know. */
export async function assertSchema(connection: Connection, place: string, patience: Patience): Promise<void> {
  const [row] = await connection.query<{ version: number }>('select ralphd.schema() as version', [], patience);
  const found = row?.version ?? 0;
  if (found > migrations.length) throw new LoopError(failures.fleetNewer(place, found, migrations.length));
  if (found < migrations.length) throw new LoopError(failures.fleetOlder(place, found, migrations.length));
}
