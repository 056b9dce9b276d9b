/** What running a fleet for years needs: whose loops a worker takes, when loops ended, and what became of removed ones. */
export const operatingTables = /* sql */ `
alter table ralphd.worker add column trust text[], add column clock_ahead_ms double precision;
alter table ralphd.loops add column repository text, add column ended_at timestamptz;
update ralphd.loops l set ended_at = coalesce((select max(f.at) from ralphd.fact f where f.loop = l.id), l.queued_at)
where l.status = 'ended';
create index on ralphd.loops (ended_at) where status = 'ended';

-- Workers still have files of these loops, and the shared repository has their captures.
create table ralphd.removed (
  loop text primary key,
  repository text,
  removed_at timestamptz not null default now(),
  tried_at timestamptz,
  captures_gone_at timestamptz
);

create table ralphd.setting (
  one boolean primary key default true check (one),
  -- How long loops that have ended are kept; for ever, if null.
  keep interval
);
insert into ralphd.setting default values;
`;
