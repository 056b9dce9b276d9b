/** Numbers about the whole fleet, for metrics: a bounded number, however many loops there are. */
export const figures = /* sql */ `
create function ralphd.figures() returns jsonb
language sql stable security definer set search_path = ralphd, pg_temp as $$
  with alive as (
    select a.name from account a where a.blocked_until > now()),
  open as (
    select l.account, l.owner is not null as is_owned, greatest(l.queued_at, l.wake_at) as since,
      case when l.status <> 'queued' then l.status
        when l.wake_at > now() then 'waiting'
        when l.account in (select name from alive) then 'blocked'
        else 'claimable' end as state
    from loops l where l.status <> 'ended')
  select jsonb_build_object(
    'loops', coalesce((select jsonb_agg(jsonb_build_object('state', g.state, 'account', g.account, 'count', g.count))
      from (select o.state, o.account, count(*) as count from open o group by 1, 2 order by 1, 2) g), '[]'),
    'ended', (select count(*) from loops where status = 'ended'),
    'oldestClaimableSeconds', (select extract(epoch from now() - min(o.since)) from open o where o.state = 'claimable'),
    'oldestCommandSeconds', (select extract(epoch from now() - min(c.sent_at)) from command c where c.answer_seq is null),
    'unansweredCommands', (select count(*) from command c where c.answer_seq is null),
    'workers', (select jsonb_build_object(
        'live', count(*) filter (where w.lost_at is null and not w.draining),
        'draining', count(*) filter (where w.lost_at is null and w.draining),
        'lost', count(*) filter (where w.lost_at is not null))
      from worker w where w.left_at is null),
    'capacity', (select coalesce(sum(w.capacity), 0) from worker w where w.left_at is null and w.lost_at is null),
    'ticksSilent', (select coalesce(max(c.tick - w.tick), 0) from worker w, clock c where w.left_at is null and w.lost_at is null),
    'accounts', coalesce((select jsonb_agg(jsonb_build_object('name', a.name, 'isBlocked', coalesce(a.blocked_until > now(), false),
        'limit', case when least(allowed_now(a), a.most) < 1000000 then least(allowed_now(a), a.most) end,
        'used', (select count(*) from loops l where l.account = a.name and l.owner is not null)) order by a.name)
      from account a), '[]'),
    'bytes', pg_total_relation_size('loops') + pg_total_relation_size('fact') + pg_total_relation_size('command'))
$$;
`;
