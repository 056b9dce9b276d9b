/** Who is alive by the fleet's clock, and what becomes of the loops of those who are not. */
export const liveness = /* sql */ `
create function ralphd.join_fleet(w jsonb) returns table (loop text, epoch integer, seq bigint, head text, request text)
language plpgsql security definer set search_path = ralphd, pg_temp as $$
declare dead text;
begin
  insert into worker (id, machine, host, boot_id, pid, start_time, version, capacity, agents, accounts, labels, trust,
    clock_ahead_ms, tick)
  select w->>'id', w->>'machine', w->>'host', w->>'bootId', (w->>'pid')::integer, w->>'startTime', w->>'version',
    (w->>'capacity')::integer, array(select jsonb_array_elements_text(w->'agents')),
    case when w ? 'accounts' then array(select jsonb_array_elements_text(w->'accounts')) end,
    array(select jsonb_array_elements_text(w->'labels')),
    case when w ? 'trust' then array(select jsonb_array_elements_text(w->'trust')) end,
    (w->>'nowMs')::double precision - extract(epoch from clock_timestamp()) * 1000, clock.tick
  from clock on conflict (id) do nothing;
  -- Whoever joins for a machine holds that machine's lock: its predecessors are dead, and what they drove is adopted.
  for dead in
    select id from worker where machine = w->>'machine' and id <> w->>'id' and left_at is null order by id for update
  loop
    update worker set lost_at = coalesce(lost_at, now()), left_at = now() where id = dead;
    update loops l set epoch = l.epoch + 1, owner = w->>'id', last_owner = w->>'id', last_epoch = l.epoch + 1,
      owned_since = now(), given_for = null, version = l.version + 1
    where l.owner = dead and l.status = 'driven';
    -- What rests or has ended needs nobody.
    update loops l set epoch = l.epoch + 1, owner = null, version = l.version + 1 where l.owner = dead;
  end loop;
  -- Also those that it was given when the answer to its first call was lost.
  return query select l.id, l.epoch, l.seq, l.head, l.request from loops l where l.owner = w->>'id';
end $$;

create function ralphd.lose(dead text) returns text[]
language plpgsql security definer set search_path = ralphd, pg_temp as $$
declare freed text[];
begin
  perform 1 from worker where id = dead for update;
  update worker set lost_at = coalesce(lost_at, now()) where id = dead;
  with lost as (
    update loops set epoch = epoch + 1, owner = null, crashes = crashes + (status = 'driven')::integer,
      status = case when status <> 'driven' then status when crashes >= 4 then 'held' else 'queued' end,
      why = case when status <> 'driven' then why
        when crashes >= 4 then 'its worker died ' || crashes + 1 || ' times without a finished iteration' end,
      version = version + 1
    where owner = dead returning id)
  select coalesce(array_agg(id), '{}') into freed from lost;
  return freed;
end $$;

create function ralphd.look() returns table (now_tick bigint, freed text[])
language plpgsql security definer set search_path = ralphd, pg_temp as $$
declare silent text;
begin
  update clock set tick = tick + 1, moved_at = clock_timestamp()
  where clock_timestamp() - moved_at >= interval '0.45 seconds' or clock_timestamp() < moved_at;
  freed := '{}';
  for silent in
    select w.id from worker w, clock c
    where w.lost_at is null and w.left_at is null and c.tick - w.tick >= c.lost_after
    order by w.id for update of w skip locked
  loop
    -- A transaction that was left open on one of its loops must not stop the clock of all: the next look tries again.
    begin
      perform 1 from loops where owner = silent for update nowait;
      freed := freed || lose(silent);
    exception when lock_not_available then null;
    end;
  end loop;
  select c.tick into now_tick from clock c;
  return next;
end $$;

create function ralphd.beat(me text, drains boolean)
returns table (is_lost boolean, loop text, id text, body text)
language plpgsql security definer set search_path = ralphd, pg_temp as $$
begin
  update worker set tick = clock.tick, beat_at = now(), draining = drains from clock
  where worker.id = me and lost_at is null and left_at is null;
  is_lost := not found;
  if is_lost then
    return next;
    return;
  end if;
  return query
    select false, c.loop, c.id, c.body from loops l join command c on c.loop = l.id and c.answer_seq is null
    where l.owner = me order by c.place;
end $$;

-- A lost worker that will not come back; by the beginning of its id.
create function ralphd.forget_worker(beginning text) returns boolean
language plpgsql security definer set search_path = ralphd, pg_temp as $$
begin
  update worker set left_at = now()
  where starts_with(id, beginning) and length(beginning) >= 8 and lost_at is not null and left_at is null;
  return found;
end $$;

create function ralphd.leave(me text) returns void
language plpgsql security definer set search_path = ralphd, pg_temp as $$
begin
  perform lose(me) from loops where owner = me limit 1;
  update worker set left_at = now() where id = me;
end $$;
`;
