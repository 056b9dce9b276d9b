/** Loops that wait for a worker, and what people do about them. */
export const submissions = /* sql */ `
create function ralphd.submit(s jsonb) returns boolean
language plpgsql security definer set search_path = ralphd, pg_temp as $$
begin
  insert into loops (id, request, title, status, priority, by_person, account, agent, labels, repository, submitted_by)
  values (s->>'id', s->>'request', s->>'title', 'queued', (s->>'priority')::integer, (s->>'byPerson')::boolean,
    s->>'account', s->>'agent', array(select jsonb_array_elements_text(s->'labels')), s->>'repository',
    s->>'submittedBy')
  on conflict (id) do nothing;
  -- A request names itself: this one was submitted, and the answer was lost.
  return found or exists (select from loops where id = s->>'id' and request = s->>'request');
end $$;

-- A loop that cannot be started or continued where it was claimed: it waits for a person, with the reason.
create function ralphd.hold(loop_id text, my_epoch integer, reason text) returns boolean
language plpgsql security definer set search_path = ralphd, pg_temp as $$
begin
  update loops set status = case when status = 'ended' then status else 'held' end, why = reason, owner = null, last_owner = null, version = version + 1
  where id = loop_id and epoch = my_epoch and owner is not null;
  return found;
end $$;

-- What stands in the way may pass: somebody tries again, later each time, and not for ever.
create function ralphd.postpone(loop_id text, my_epoch integer, reason text) returns boolean
language plpgsql security definer set search_path = ralphd, pg_temp as $$
begin
  update loops set why = reason, owner = null, last_owner = null, crashes = crashes + 1, version = version + 1,
    status = case when status <> 'driven' then status when crashes >= 9 then 'held' else 'queued' end,
    wake_at = now() + least(interval '10 minutes', interval '10 seconds' * 2 ^ crashes)
  where id = loop_id and epoch = my_epoch and owner is not null;
  return found;
end $$;

create function ralphd.requeue(loop_id text) returns boolean
language plpgsql security definer set search_path = ralphd, pg_temp as $$
begin
  update loops set status = 'queued', why = null, crashes = 0, wake_at = null, queued_at = now(), version = version + 1
  where id = loop_id and status in ('held', 'paused') and owner is null;
  return found;
end $$;

create function ralphd.withdraw(loop_id text) returns boolean
language plpgsql security definer set search_path = ralphd, pg_temp as $$
begin
  delete from loops where id = loop_id and seq = 0 and owner is null;
  return found;
end $$;

create function ralphd.limit_account(account_name text, limits jsonb) returns void
language sql security definer set search_path = ralphd, pg_temp as $$
  insert into account (name, most, reserve, blocked_until, blocked_why)
  values (account_name, (limits->>'most')::integer, coalesce((limits->>'reserve')::integer, 0),
    (limits->>'blockedUntil')::timestamptz, limits->>'blockedWhy')
  on conflict (name) do update set
    most = case when limits ? 'most' then excluded.most else account.most end,
    reserve = case when limits ? 'reserve' then excluded.reserve else account.reserve end,
    blocked_until = case when limits ? 'blockedUntil' then excluded.blocked_until else account.blocked_until end,
    blocked_why = case when limits ? 'blockedUntil' then excluded.blocked_why else account.blocked_why end,
    at_once = case when limits ? 'atOnce' then (limits->>'atOnce')::integer else account.at_once end,
    slowed_at = case when limits ? 'atOnce' then now() else account.slowed_at end
$$;
`;
