/** What agents printed last, for readers on other machines. */
export const outputTable = /* sql */ `
-- No foreign key: it would lock the loop's row, and facts would wait for the output of an agent.
create table ralphd.output (
  loop text not null,
  iteration integer not null,
  attempt integer not null,
  epoch integer not null,
  host text not null,
  folder text not null,
  complete boolean not null,
  stdout bytea not null,
  stdout_end bigint not null,
  stderr bytea not null,
  stderr_end bigint not null,
  revision bigint generated always as identity,
  primary key (loop, iteration, attempt)
) with (fillfactor = 50);
`;

/** How it is replaced and read. */
export const outputs = /* sql */ `
-- Replaces what is known of each attempt, and keeps the newest four of a loop.
create function ralphd.keep_outputs(outputs jsonb) returns void
language sql security definer set search_path = ralphd, pg_temp as $$
  insert into output (loop, iteration, attempt, epoch, host, folder, complete, stdout, stdout_end, stderr, stderr_end)
  select l.id, (o->>'iteration')::integer, (o->>'attempt')::integer, l.epoch, o->>'host', o->>'folder',
    (o->>'complete')::boolean, decode(o->>'stdout', 'base64'), (o->>'stdoutEnd')::bigint,
    decode(o->>'stderr', 'base64'), (o->>'stderrEnd')::bigint
  from jsonb_array_elements(outputs) o join loops l on l.id = o->>'loop' and l.epoch = (o->>'epoch')::integer
  on conflict (loop, iteration, attempt) do update set epoch = excluded.epoch, host = excluded.host,
    folder = excluded.folder, complete = excluded.complete, stdout = excluded.stdout, stdout_end = excluded.stdout_end,
    stderr = excluded.stderr, stderr_end = excluded.stderr_end, revision = default
  where output.epoch <= excluded.epoch;
  delete from output o using (
    select loop, iteration, attempt, row_number() over (partition by loop order by iteration desc, attempt desc) as place
    from output where loop in (select x->>'loop' from jsonb_array_elements(outputs) x)) old
  where old.place > 4 and (o.loop, o.iteration, o.attempt) = (old.loop, old.iteration, old.attempt)
$$;

create function ralphd.outputs(loop_id text, after bigint)
returns table (iteration integer, attempt integer, host text, folder text, complete boolean,
  stdout bytea, stdout_end bigint, stderr bytea, stderr_end bigint, revision bigint)
language sql stable security definer set search_path = ralphd, pg_temp as $$
  select o.iteration, o.attempt, o.host, o.folder, o.complete, o.stdout, o.stdout_end, o.stderr, o.stderr_end, o.revision
  from output o where o.loop = loop_id and o.revision > after order by o.iteration, o.attempt
$$;

create function ralphd.request_of(loop_id text) returns text
language sql stable security definer set search_path = ralphd, pg_temp as $$ select request from loops where id = loop_id $$;
`;
