/** Who drives a loop: one owner, whose epoch is part of every write. */
export const ownership = /* sql */ `
create function ralphd.give(me text, wanted text, asked text) returns integer
language sql security definer set search_path = ralphd, pg_temp as $$
  update loops set epoch = epoch + 1, owner = me, given_for = asked, last_owner = me, last_epoch = epoch + 1, owned_since = now(),
    last_machine = (select machine from worker w where w.id = me), version = version + 1,
    -- One that rests goes on only when a fact says so: its owner may be there only to answer a command.
    status = case when status = 'queued' then 'driven' else status end, why = case when status = 'queued' then null else why end
  where id = wanted returning epoch
$$;

create function ralphd.is_alive(me text) returns boolean
language sql security definer set search_path = ralphd, pg_temp as $$
  select exists (select from worker where id = me and lost_at is null and left_at is null for share)
$$;

-- After a provider was overloaded: half as many, and one more every five minutes.
create function ralphd.allowed_now(a ralphd.account) returns integer
language sql stable set search_path = ralphd, pg_temp as $$
  select case when a.at_once is null then 1000000
    else a.at_once + floor(extract(epoch from now() - a.slowed_at) / 300)::integer end
$$;

create function ralphd.has_room(account_name text, person boolean) returns boolean
language plpgsql security definer set search_path = ralphd, pg_temp as $$
declare a account;
declare used integer;
begin
  if account_name is null then return true; end if;
  -- The lock makes the limit exact, however many claim at once.
  select * into a from account where name = account_name for update;
  if not found then return true; end if;
  if a.blocked_until > now() then return false; end if;
  select count(*) into used from loops where account = account_name and owner is not null;
  return used < least(allowed_now(a), coalesce(a.most, 1000000)) - case when person then 0 else a.reserve end;
end $$;

create function ralphd.claim(me text, is_full boolean, asked text default null)
returns table (loop text, epoch integer, seq bigint, head text, request text, only_commands boolean, was_here boolean, takes_over boolean)
-- Idle workers call it all the time: to plan it anew would take longer than to run it.
language plpgsql security definer set search_path = ralphd, pg_temp set plan_cache_mode = force_generic_plan as $$
declare w worker;
declare l loops;
declare full_accounts text[] := '{}';
declare full_for_schedules text[] := '{}';
declare trusted text[];
begin
  select * into w from worker where id = me and lost_at is null and left_at is null for share;
  if not found then return; end if;
  -- Its answer was lost: it was given, once.
  return query
    select o.id, o.epoch, o.seq, o.head, o.request, o.given_for <> asked, coalesce(o.last_machine = w.machine, false), false
    from loops o where o.owner = me and o.given_for in (asked, asked || '/commands');
  if found or w.draining then return; end if;
  -- A loop at rest whose command nobody answers yet needs an owner for as long as that takes.
  select * into l from loops o
  where o.owner is null and o.status <> 'ended' and o.seq > 0 and offers(w, o)
    and (o.repository is null or w.trust is null or trusts(w.trust, o.repository))
    and o.id in (select c.loop from command c where c.answer_seq is null)
  order by o.queued_at limit 1 for update skip locked;
  only_commands := found;
  -- By its minimum, which is one step in an index.
  if not only_commands and (is_full or coalesce((select min(coalesce(o.wake_at, '-infinity'::timestamptz))
    from loops o where o.owner is null and o.status = 'queued') > now(), true))
  then return; end if;
  -- Once for each repository, and not for each of its loops.
  if not only_commands and w.trust is not null then
    with wanted as materialized (
      select distinct o.repository from loops o where o.owner is null and o.status = 'queued')
    select coalesce(array_agg(r.repository), '{}') into trusted from wanted r where trusts(w.trust, r.repository);
  end if;
  while l.id is null and not is_full loop
    select * into l from loops o
    where o.owner is null and o.status = 'queued' and coalesce(o.wake_at, '-infinity'::timestamptz) <= now() and offers(w, o)
      and (trusted is null or o.repository is null or o.repository = any (trusted))
      and not coalesce(o.account = any (case when o.by_person then full_accounts else full_for_schedules end), false)
      and not exists (select from account a where a.name = o.account and a.blocked_until > now())
    -- Whoever waits rises by one priority in ten minutes, so that nobody starves.
    order by o.priority + date_part('epoch', now() - greatest(o.queued_at, o.wake_at)) / 600 desc, o.queued_at, o.id
    limit 1 for update skip locked;
    exit when not found;
    if has_room(l.account, l.by_person) then exit; end if;
    if l.by_person then full_accounts := full_accounts || l.account; end if;
    full_for_schedules := full_for_schedules || l.account;
    l := null;
  end loop;
  if l.id is null then return; end if;
  if only_commands then asked := asked || '/commands'; end if;
  return query select l.id, give(me, l.id, asked), l.seq, l.head, l.request, only_commands, coalesce(l.last_machine = w.machine, false),
    l.last_owner is not null;
end $$;

create function ralphd.offers(w ralphd.worker, l ralphd.loops) returns boolean
-- Without a search path of its own, so that the planner can take it apart: it runs for every waiting loop.
language sql stable as $$
  select l.labels <@ w.labels and (l.agent is null or l.agent = any (w.agents))
    and (l.account is null or w.accounts is null or l.account = any (w.accounts))
$$;

-- As the worker decides itself before it checks anything out: this only keeps it from taking what it would refuse.
create function ralphd.trusts(trusted text[], repository text) returns boolean
language sql immutable as $$
  select 'all' = any (trusted) or repository = any (trusted)
    or ('..' <> all (regexp_split_to_array(repository, '[/:\\\\]')) and exists (
      select from unnest(trusted) t where t <> '' and starts_with(repository, t)
        and (right(t, 1) in ('/', ':') or substr(repository, length(t) + 1, 1) in ('/', ':'))))
$$;

create function ralphd.take(me text, wanted text, asked text default null)
returns table (outcome text, epoch integer, seq bigint, head text, host text, pid integer)
language plpgsql security definer set search_path = ralphd, pg_temp as $$
declare l loops;
declare holder worker;
begin
  if not is_alive(me) then outcome := 'lost'; return next; return; end if;
  select * into l from loops where id = wanted;
  if not found then outcome := 'missing'; return next; return; end if;
  if l.owner = me and l.given_for = asked then
    return query select 'given', l.epoch, l.seq, l.head, null::text, null::integer; return;
  end if;
  if l.owner is not null then
    -- Under its lock: a sign of life that arrives now either counts or comes too late, and never both.
    perform 1 from worker where id = l.owner for update;
    select w.* into holder from worker w, clock c
    where w.id = l.owner and w.lost_at is null and w.left_at is null and c.tick - w.tick < c.lost_after;
    if found then
      outcome := 'taken'; host := holder.host; pid := holder.pid; return next; return;
    end if;
    perform lose(l.owner);
  end if;
  select * into l from loops where id = wanted for update;
  if not found then outcome := 'missing'; return next; return; end if;
  if l.owner is not null then outcome := 'taken'; return next; return; end if;
  return query select 'given', give(me, wanted, asked), l.seq, l.head, null::text, null::integer;
end $$;

create function ralphd.found(me text, wanted text) returns boolean
language plpgsql security definer set search_path = ralphd, pg_temp as $$
begin
  if not is_alive(me) then raise exception 'lost' using errcode = 'RD001'; end if;
  insert into loops (id, status, epoch, owner, last_owner, last_epoch, owned_since)
  values (wanted, 'driven', 1, me, me, 1, now()) on conflict (id) do nothing;
  -- Its answer may have been lost; who has it open already does not ask.
  return found or exists (select from loops where id = wanted and owner = me and epoch = 1 and seq = 0);
end $$;

create function ralphd.release(me text, wanted text, my_epoch integer) returns boolean
language plpgsql security definer set search_path = ralphd, pg_temp as $$
begin
  -- A loop that is handed over keeps its place in the queue; one that rests or waits begins anew.
  update loops set owner = null, last_owner = null, version = version + 1,
    queued_at = case when status = 'driven' and wake_at is null then queued_at else now() end,
    status = case when status = 'driven' then 'queued' else status end
  where id = wanted and owner = me and epoch = my_epoch;
  return found;
end $$;
`;
