/** The tables of the first version. A journal line is `text`, byte for byte: its chain of checksums stays checkable. */
export const tables = /* sql */ `
create table ralphd.clock (
  one boolean primary key default true check (one),
  -- The fleet's own time: it stands while nobody looks and while the database is away.
  tick bigint not null default 0,
  moved_at timestamptz not null default clock_timestamp(),
  lost_after integer not null default 18
);
insert into ralphd.clock default values;

create table ralphd.worker (
  id text primary key,
  machine text not null,
  host text not null,
  boot_id text not null,
  pid integer not null,
  start_time text not null,
  version text not null,
  capacity integer not null,
  agents text[] not null,
  accounts text[],
  labels text[] not null,
  started_at timestamptz not null default now(),
  beat_at timestamptz not null default now(),
  tick bigint not null,
  draining boolean not null default false,
  lost_at timestamptz,
  left_at timestamptz
) with (fillfactor = 50);

create table ralphd.account (
  name text primary key,
  most integer,
  reserve integer not null default 0,
  at_once integer,
  slowed_at timestamptz,
  blocked_until timestamptz,
  blocked_why text
) with (fillfactor = 50);

create table ralphd.loops (
  id text primary key,
  request text,
  title text not null default '',
  status text not null check (status in ('queued', 'driven', 'paused', 'held', 'ended')),
  why text,
  priority integer not null default 0,
  by_person boolean not null default true,
  account text,
  agent text,
  labels text[] not null default '{}',
  submitted_by text not null default '',
  submitted_at timestamptz not null default now(),
  queued_at timestamptz not null default now(),
  wake_at timestamptz,
  epoch integer not null default 0,
  owner text references ralphd.worker,
  -- Which request it was given to: one whose answer was lost is made again.
  given_for text,
  last_owner text,
  last_epoch integer,
  last_machine text,
  owned_since timestamptz,
  seq bigint not null default 0,
  head text,
  snapshot text,
  snapshot_seq bigint not null default 0,
  crashes integer not null default 0,
  version bigint not null default 1
) with (fillfactor = 70);
create index on ralphd.loops (owner) where owner is not null;
create index on ralphd.loops (priority desc, queued_at) where owner is null and status = 'queued';
create index on ralphd.loops (account) where owner is not null;

create table ralphd.fact (
  loop text not null references ralphd.loops on delete cascade,
  seq bigint not null,
  epoch integer not null,
  at timestamptz not null default now(),
  batch text not null,
  type text not null,
  line text not null,
  primary key (loop, seq)
);

create table ralphd.command (
  loop text not null references ralphd.loops on delete cascade,
  id text not null,
  body text not null,
  sent_at timestamptz not null default clock_timestamp(),
  place bigint generated always as identity,
  answer_seq bigint,
  primary key (loop, id)
);
create index on ralphd.command (loop, place) where answer_seq is null;

create table ralphd.schedule (
  id text primary key,
  every text not null,
  zone text not null,
  missed text not null,
  next_ms bigint not null,
  submission jsonb not null
);
`;
