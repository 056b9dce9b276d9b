/** The fleet as people see it. */
export const overview = /* sql */ `
-- Why no worker that is here would take a loop; null if one would.
create function ralphd.lacks(l ralphd.loops) returns text
language sql stable security definer set search_path = ralphd, pg_temp as $$
  with here as materialized (select w.* from worker w where w.lost_at is null and w.left_at is null)
  select case
    when not exists (select from here) then 'worker'
    when exists (select from here w where offers(w::worker, l)
      and (l.repository is null or w.trust is null or trusts(w.trust, l.repository))) then null
    when not exists (select from here w where l.agent is null or l.agent = any (w.agents)) then 'agent'
    when not exists (select from here w where l.labels <@ w.labels) then 'label'
    when not exists (select from here w where l.account is null or w.accounts is null or l.account = any (w.accounts)) then 'account'
    when not exists (select from here w where l.repository is null or w.trust is null or trusts(w.trust, l.repository)) then 'trust'
    else 'combination' end
$$;

create function ralphd.status() returns jsonb
language sql stable security definer set search_path = ralphd, pg_temp as $$
  select jsonb_build_object(
    'tick', (select tick from clock),
    'workers', coalesce((select jsonb_agg(jsonb_build_object('id', w.id, 'host', w.host, 'pid', w.pid, 'version', w.version,
        'capacity', w.capacity, 'agents', w.agents, 'accounts', w.accounts, 'labels', w.labels, 'trust', w.trust,
        'draining', w.draining, 'isLost', w.lost_at is not null, 'lostAt', w.lost_at,
        'ticksSilent', (select tick from clock) - w.tick, 'clockAheadMs', round(w.clock_ahead_ms),
        'startedAt', w.started_at, 'loops', (select count(*) from loops where owner = w.id)) order by w.host, w.started_at)
      from worker w where w.left_at is null), '[]'),
    'loops', coalesce((select jsonb_agg(jsonb_build_object('id', l.id, 'status', l.status, 'why', l.why, 'title', l.title,
        'priority', l.priority, 'account', l.account, 'agent', l.agent, 'labels', l.labels, 'repository', l.repository,
        'byPerson', l.by_person, 'submittedBy', l.submitted_by,
        'submittedAt', l.submitted_at, 'queuedAt', l.queued_at, 'wakeAt', l.wake_at, 'epoch', l.epoch, 'facts', l.seq,
        'crashes', l.crashes, 'worker', l.owner, 'ownedSince', case when l.owner is not null then l.owned_since end,
        'lacks', case when l.status = 'queued' and l.owner is null then lacks(l) end,
        'commands', (select count(*) from command c where c.loop = l.id and c.answer_seq is null)) order by l.submitted_at, l.id)
      from loops l where l.status <> 'ended'), '[]'),
    'schedules', coalesce((select jsonb_agg(jsonb_build_object('id', s.id, 'every', s.every, 'zone', s.zone, 'missed', s.missed,
        'nextMs', s.next_ms, 'title', s.submission->>'title') order by s.next_ms) from schedule s), '[]'),
    'ended', (select count(*) from loops where status = 'ended'),
    'keep', (select extract(epoch from keep) * 1000 from setting),
    'accounts', coalesce((select jsonb_agg(jsonb_build_object('name', a.name, 'most', a.most,
        'atOnce', case when allowed_now(a) < coalesce(a.most, 1000) then allowed_now(a) end,
        'reserve', a.reserve, 'blockedUntil', a.blocked_until, 'blockedWhy', a.blocked_why,
        'used', (select count(*) from loops l where l.account = a.name and l.owner is not null)) order by a.name)
      from account a), '[]'))
$$;
`;
