/** A loop's journal: appended under the loop's row, fenced by epoch, one statement for each batch. */
export const journal = /* sql */ `
create function ralphd.append(loop_id text, my_epoch integer, after bigint, batch_id text, batch jsonb)
-- How long the commands that it answers have waited, in milliseconds.
returns table (outcome text, last_seq bigint, waited double precision[])
language plpgsql security definer set search_path = ralphd, pg_temp as $$
declare l loops;
declare lines text[] := array(select jsonb_array_elements_text(batch->'lines'));
declare types text[] := array(select jsonb_array_elements_text(batch->'types'));
begin
  select * into l from loops where id = loop_id for update;
  if not found then outcome := 'missing'; return next; return; end if;
  last_seq := l.seq;
  if l.epoch <> my_epoch or l.owner is null then outcome := 'fenced'; return next; return; end if;
  if l.seq <> after then
    -- Its answer was lost: it was recorded, once.
    outcome := case when exists (select from fact f where f.loop = loop_id and f.seq = after + 1 and f.batch = batch_id)
      then 'written' else 'gap' end;
    return next; return;
  end if;
  insert into fact (loop, seq, epoch, batch, type, line)
  select loop_id, after + n, my_epoch, batch_id, types[n], lines[n] from generate_subscripts(lines, 1) n;
  last_seq := after + cardinality(lines);
  update loops set seq = last_seq, version = version + 1,
    status = coalesce(batch->>'status', status), head = coalesce(batch->>'head', head),
    title = coalesce(batch->>'title', title),
    wake_at = case when batch ? 'wakeAt' then (batch->>'wakeAt')::timestamptz else wake_at end,
    crashes = case when (batch->>'progress')::boolean then 0 else crashes end,
    ended_at = case when batch->>'status' = 'ended' then now() else ended_at end
  where id = loop_id;
  if batch ? 'answers' then
    with answered as (
      update command c set answer_seq = last_seq
      where c.loop = loop_id and c.id in (select jsonb_array_elements_text(batch->'answers')) and c.answer_seq is null
      returning c.sent_at)
    select array_agg(extract(epoch from clock_timestamp() - sent_at) * 1000) into waited from answered;
  end if;
  if batch ? 'blockedUntil' and l.account is not null then
    insert into account (name, blocked_until, blocked_why) values (l.account, (batch->>'blockedUntil')::timestamptz, batch->>'blockedWhy')
    on conflict (name) do update set blocked_why = excluded.blocked_why,
      blocked_until = greatest(account.blocked_until, excluded.blocked_until);
  end if;
  if (batch->>'overloaded')::boolean and l.account is not null then
    insert into account (name) values (l.account) on conflict (name) do nothing;
    -- Many loops meet the same event: it counts once.
    update account a set slowed_at = now(), at_once = greatest(1, least(allowed_now(a),
      (select count(*) from loops o where o.account = a.name and o.owner is not null)) / 2)
    where a.name = l.account and (a.slowed_at is null or a.slowed_at < now() - interval '30 seconds');
  end if;
  outcome := 'written';
  return next;
end $$;

create function ralphd.save(loop_id text, my_epoch integer, upto bigint, document text) returns boolean
language plpgsql security definer set search_path = ralphd, pg_temp as $$
begin
  update loops set snapshot = document, snapshot_seq = upto, version = version + 1
  where id = loop_id and epoch = my_epoch and owner is not null and seq >= upto;
  return found;
end $$;

create function ralphd.facts(loop_id text, after bigint, most integer)
returns table (seq bigint, line text)
language sql stable security definer set search_path = ralphd, pg_temp as $$
  select f.seq, f.line from fact f where f.loop = loop_id and f.seq > after order by f.seq limit most
$$;

create function ralphd.owned_by(l ralphd.loops) returns jsonb
language sql stable set search_path = ralphd, pg_temp as $$
  select jsonb_build_object('worker', w.id, 'host', w.host, 'bootId', w.boot_id, 'pid', w.pid, 'startTime', w.start_time,
    'epoch', l.last_epoch, 'since', to_char(l.owned_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'liveness', case when l.owner is not null and w.lost_at is null and w.left_at is null then 'alive' else 'dead' end)
  from worker w where w.id = l.last_owner
$$;

create function ralphd.look_at(loop_id text)
returns table (status text, epoch integer, seq bigint, head text, snapshot text, snapshot_seq bigint, owner jsonb)
language sql stable security definer set search_path = ralphd, pg_temp as $$
  select l.status, l.epoch, l.seq, l.head, l.snapshot, l.snapshot_seq, owned_by(l) from loops l where l.id = loop_id
$$;

create function ralphd.glance(loop_id text) returns table (status text, epoch integer, seq bigint, owner text)
language sql stable security definer set search_path = ralphd, pg_temp as $$
  select l.status, l.epoch, l.seq, l.owner from loops l where l.id = loop_id
$$;

create function ralphd.versions() returns table (id text, version bigint, seq bigint)
language sql stable security definer set search_path = ralphd, pg_temp as $$
  select l.id, l.version, l.seq from loops l where l.seq > 0 order by l.id
$$;

create function ralphd.remove(loop_id text) returns text
language plpgsql security definer set search_path = ralphd, pg_temp as $$
declare l loops;
begin
  select * into l from loops where id = loop_id for update;
  if not found then return 'missing'; end if;
  if l.owner is not null then return 'owned'; end if;
  perform discard(l);
  return 'removed';
end $$;
`;
