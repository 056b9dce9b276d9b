import { commands } from './commands.ts';
import { dueIndex } from './due-index.ts';
import { figures } from './figures.ts';
import { health } from './health.ts';
import { journal } from './journal.ts';
import { liveness } from './liveness.ts';
import { operatingTables } from './operating-tables.ts';
import { outputs, outputTable } from './outputs.ts';
import { overview } from './overview.ts';
import { ownership } from './ownership.ts';
import { retention } from './retention.ts';
import { rights } from './rights.ts';
import { schedules } from './schedules.ts';
import { submissions } from './submissions.ts';
import { tables } from './tables.ts';
import { removerColumn, waiting } from './waiting.ts';

/** The steps to today's tables, oldest first. A released step never changes; one that changes only functions is empty. */
export const migrations: readonly string[] = [tables, operatingTables, dueIndex, outputTable, removerColumn];

// Workers of the version before go on meanwhile: what they call keeps its name and what it returned.
const dropFunctions = /* sql */ `
do $$
declare f regprocedure;
begin
  for f in select oid::regprocedure from pg_proc where pronamespace = 'ralphd'::regnamespace loop
    execute 'drop function ' || f;
  end loop;
end $$;
`;

const version = /* sql */ `
create function ralphd.schema() returns integer
language sql stable security definer set search_path = ralphd, pg_temp as $$ select max(version) from schema_version $$;
`;

const functions = [
  version,
  liveness,
  ownership,
  journal,
  retention,
  commands,
  submissions,
  schedules,
  overview,
  figures,
  health,
  outputs,
  waiting,
];

/** What follows every migration: the functions as this version has them, and who may call them. */
export const afterMigrations = [dropFunctions, 'set local check_function_bodies = off;', ...functions, rights].join(
  '\n',
);
