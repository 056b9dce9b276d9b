/** Loops that begin again and again: each due time starts one, however many workers look. */
export const schedules = /* sql */ `
create function ralphd.add_schedule(s jsonb) returns boolean
language plpgsql security definer set search_path = ralphd, pg_temp as $$
begin
  insert into schedule (id, every, zone, missed, next_ms, submission)
  values (s->>'id', s->>'every', s->>'zone', s->>'missed', (s->>'nextMs')::bigint, s->'submission')
  on conflict (id) do nothing;
  return found or exists (select from schedule where id = s->>'id' and submission = s->'submission');
end $$;

create function ralphd.remove_schedule(schedule_id text) returns boolean
language plpgsql security definer set search_path = ralphd, pg_temp as $$
begin
  delete from schedule where id = schedule_id;
  return found;
end $$;

create function ralphd.due_schedules()
returns table (id text, every text, zone text, missed text, next_ms bigint, now_ms bigint, submission jsonb)
language sql stable security definer set search_path = ralphd, pg_temp as $$
  select s.id, s.every, s.zone, s.missed, s.next_ms, n.ms, s.submission
  from schedule s, (select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms) n where s.next_ms <= n.ms
$$;

-- Whoever moves the due time on starts what was due; anybody else comes too late.
create function ralphd.fire(schedule_id text, due_ms bigint, following_ms bigint, submissions jsonb) returns boolean
language plpgsql security definer set search_path = ralphd, pg_temp as $$
begin
  update schedule set next_ms = following_ms where id = schedule_id and next_ms = due_ms;
  if not found then return false; end if;
  perform submit(each) from jsonb_array_elements(submissions) each;
  return true;
end $$;
`;
