/** What can be wrong with a database under a fleet, as its server sees it. */
export const health = /* sql */ `
create function ralphd.health() returns jsonb
language sql volatile security definer set search_path = ralphd, pg_temp as $$
  select jsonb_build_object(
    'server', current_setting('server_version'),
    'serverNumber', current_setting('server_version_num')::integer,
    'schema', (select max(version) from schema_version),
    'nowMs', extract(epoch from clock_timestamp()) * 1000,
    'isReplica', pg_is_in_recovery(),
    'settings', (select jsonb_object_agg(name, setting) from pg_settings
      where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'synchronous_standby_names', 'autovacuum')),
    'replicas', (select count(*) from pg_stat_replication),
    'user', session_user,
    'owner', current_user,
    'isSuperuser', (select rolsuper from pg_roles where rolname = session_user),
    'touchesTables', (select coalesce(array_agg(c.relname order by c.relname), '{}') from pg_class c
      where c.relnamespace = 'ralphd'::regnamespace and c.relkind = 'r'
        and has_table_privilege(session_user, c.oid, 'insert, update, delete, truncate')),
    'missingFunctions', (select count(*) from pg_proc p where p.pronamespace = 'ralphd'::regnamespace and p.prosecdef
      and has_function_privilege(to_regrole('ralphd_worker'), p.oid, 'execute') and not has_function_privilege(session_user, p.oid, 'execute')),
    'connections', jsonb_build_object(
      'most', current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer,
      'used', (select count(*) from pg_stat_activity where backend_type = 'client backend'),
      'ofRole', (select rolconnlimit from pg_roles where rolname = session_user),
      'ofDatabase', (select datconnlimit from pg_database where datname = current_database())),
    'longestTransactionSeconds', (select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)
      from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state like 'idle in transaction%'),
    'bytes', jsonb_build_object(
      'facts', pg_total_relation_size('fact'), 'loops', pg_total_relation_size('loops'),
      'database', pg_database_size(current_database())),
    'deadRows', (select coalesce(sum(n_dead_tup), 0) from pg_stat_user_tables where schemaname = 'ralphd'),
    'liveRows', (select coalesce(sum(n_live_tup), 0) from pg_stat_user_tables where schemaname = 'ralphd'),
    'ended', (select jsonb_build_object('count', count(*), 'oldest', min(ended_at),
      'olderThanMonths', count(*) filter (where ended_at < now() - interval '90 days')) from loops where status = 'ended'),
    'capturesLeft', (select count(*) from removed where captures_gone_at is null and repository is not null and removed_at < now() - interval '1 day'),
    'oldestCommandSeconds', (select extract(epoch from now() - min(c.sent_at)) from command c where c.answer_seq is null),
    'lateSchedules', (select coalesce(jsonb_agg(s.id order by s.id), '[]') from schedule s
      where s.next_ms < extract(epoch from now()) * 1000 - 120000))
$$;
`;
