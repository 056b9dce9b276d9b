import { commands } from './commands.ts';
import { journal } from './journal.ts';
import { liveness } from './liveness.ts';
import { ownership } from './ownership.ts';
import { rights } from './rights.ts';
import { schedules } from './schedules.ts';
import { submissions } from './submissions.ts';
import { tables } from './tables.ts';

const version = /* sql */ `
create function ralphd.schema() returns integer
language sql stable security definer set search_path = ralphd, pg_temp as $$ select max(version) from schema_version $$;
`;

/** The steps to today's schema, oldest first; a released step never changes. */
export const migrations: readonly string[] = [
  [version, tables, liveness, ownership, journal, commands, submissions, schedules].join('\n'),
];

/** What follows every migration. */
export const afterMigrations = rights;
