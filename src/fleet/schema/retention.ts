/** What is removed, and when: only loops that have ended and that nobody drives. */
export const retention = /* sql */ `
-- The caller holds the lock of its row.
create function ralphd.discard(l ralphd.loops) returns void
language sql security definer set search_path = ralphd, pg_temp as $$
  insert into removed (loop, repository) select l.id, l.repository where l.seq > 0
  on conflict (loop) do update set removed_at = now(), tried_at = null, captures_gone_at = null;
  delete from loops where id = l.id;
  -- Also what came late from the worker of a loop that was removed before.
  delete from output o where not exists (select from loops where id = o.loop);
$$;

create function ralphd.prunable(older interval, most integer)
returns table (loop text, title text, ended_at timestamptz, facts bigint, bytes bigint)
language sql stable security definer set search_path = ralphd, pg_temp as $$
  select l.id, l.title, l.ended_at, l.seq,
    coalesce(pg_column_size(l.snapshot), 0) + (select coalesce(sum(pg_column_size(f.line)), 0) from fact f where f.loop = l.id)
  from loops l where l.status = 'ended' and l.owner is null and l.ended_at < now() - older order by l.ended_at, l.id limit most
$$;

create function ralphd.prune(older interval, most integer) returns text[]
language plpgsql security definer set search_path = ralphd, pg_temp as $$
declare l loops;
declare pruned text[] := '{}';
begin
  for l in
    select * from loops o where o.status = 'ended' and o.owner is null and o.ended_at < now() - older
    order by o.ended_at, o.id limit most for update skip locked
  loop
    perform discard(l);
    pruned := pruned || l.id;
  end loop;
  -- Workers that are gone, unless something says that they drove it last; and what was removed so long ago that every
  -- worker has noticed.
  delete from worker w where coalesce(w.left_at, w.lost_at) < now() - older
    and not exists (select from loops o where o.owner = w.id or o.last_owner = w.id);
  delete from removed r where r.removed_at < now() - greatest(older, interval '90 days');
  return pruned;
end $$;

create function ralphd.keep_for(wanted interval) returns void
language sql security definer set search_path = ralphd, pg_temp as $$ update setting set keep = wanted $$;

create function ralphd.prune_as_set() returns text[]
language sql security definer set search_path = ralphd, pg_temp as $$
  select coalesce((select prune(s.keep, 100) from setting s where s.keep is not null), '{}')
$$;

-- A removed loop whose captures this worker may delete; nobody else tries for an hour.
create function ralphd.next_captures(trusted text[]) returns table (loop text, repository text)
language sql security definer set search_path = ralphd, pg_temp as $$
  update removed r set tried_at = now()
  where r.loop = (
    select o.loop from removed o
    where o.captures_gone_at is null and o.repository is not null and ralphd.trusts(trusted, o.repository)
      and (o.tried_at is null or o.tried_at < now() - interval '1 hour')
    order by o.removed_at limit 1 for update skip locked)
  returning r.loop, r.repository
$$;

create function ralphd.captures_gone(loop_id text) returns void
language sql security definer set search_path = ralphd, pg_temp as $$
  update removed set captures_gone_at = now() where loop = loop_id
$$;

-- Not those that are merely unknown: a database that was restored has forgotten loops whose files are still needed.
create function ralphd.removed_among(ids text[]) returns table (loop text, repository text)
language sql stable security definer set search_path = ralphd, pg_temp as $$
  select r.loop, r.repository from removed r where r.loop = any (ids) and not exists (select from loops l where l.id = r.loop)
$$;
`;
