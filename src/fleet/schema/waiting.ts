/** Loops that something keeps from being driven, and those that were removed. */
export const waiting = /* sql */ `
create function ralphd.undriven() returns table (id text, title text, status text, why text, submitted_at text, started boolean)
language sql stable security definer set search_path = ralphd, pg_temp as $$
  select l.id, l.title, l.status, l.why, to_char(l.submitted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), l.seq > 1
  from loops l where l.seq <= 1 or (l.owner is null and l.why is not null and l.status <> 'ended') order by l.submitted_at, l.id
$$;

create function ralphd.remove_loop(loop_id text, remover text) returns text
language plpgsql security definer set search_path = ralphd, pg_temp as $$
declare outcome text := remove(loop_id);
begin
  update removed set removed_by = remover where loop = loop_id and outcome = 'removed';
  return outcome;
end $$;

create function ralphd.removal_of(loop_id text) returns table (removed_by text, removed_at text)
language sql stable security definer set search_path = ralphd, pg_temp as $$
  select coalesce(r.removed_by, 'its retention'), to_char(r.removed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
  from removed r where r.loop = loop_id and not exists (select from loops l where l.id = loop_id)
$$;
`;

/** Who removed a loop; nobody, if its time was over. */
export const removerColumn = 'alter table ralphd.removed add column removed_by text;';
