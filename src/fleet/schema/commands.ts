/** What is asked of loops, and who is told about it. */
export const commands = /* sql */ `
create function ralphd.send(loop_id text, command_id text, command_body text) returns boolean
language plpgsql security definer set search_path = ralphd, pg_temp as $$
begin
  if not exists (select from loops where id = loop_id) then return false; end if;
  insert into command (loop, id, body) values (loop_id, command_id, command_body) on conflict (loop, id) do nothing;
  perform pg_notify('ralphd_command', loop_id);
  return true;
end $$;

create function ralphd.take_back(loop_id text, command_id text) returns void
language sql security definer set search_path = ralphd, pg_temp as $$
  delete from command where loop = loop_id and id = command_id and answer_seq is null
$$;

create function ralphd.settle(loop_id text, command_id text) returns void
language sql security definer set search_path = ralphd, pg_temp as $$
  update command set answer_seq = coalesce((select seq from loops where id = loop_id), 0)
  where loop = loop_id and id = command_id and answer_seq is null
$$;

create function ralphd.waiting(loop_ids text[]) returns table (loop text, id text, body text)
language sql stable security definer set search_path = ralphd, pg_temp as $$
  select c.loop, c.id, c.body from command c
  where c.loop = any (loop_ids) and c.answer_seq is null order by c.place
$$;

create function ralphd.announce(loop_ids text) returns void
language sql security definer set search_path = ralphd, pg_temp as $$ select pg_notify('ralphd_fact', loop_ids) $$;
`;
