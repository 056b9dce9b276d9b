import { formatDuration, LoopError, roughDuration, roughSize } from '../../base/index.ts';
import type { FleetHealth, FleetStatus } from '../../fleet/index.ts';
import type { CheckRow } from '../finding.ts';
import { queueRows } from './examine-queue.ts';
import { count, type FleetExam } from './fleet-exam.ts';

const oldestServer = 150_000;
const clockMs = 5_000;
const silentTicks = 6;
/** What one worker needs at most: for journals, signs of life, listening, and short questions. */
const connectionsPerWorker = 9;
const longTransactionSeconds = 30;
const mostNamed = 5;

/** What is right and wrong with a fleet, with a fix for each finding. */
export function fleetRows(exam: FleetExam): readonly CheckRow[] {
  return [
    serverRow(exam),
    rightsRow(exam),
    ...durabilityRows(exam.health),
    clientsRow(exam),
    ...transactionRows(exam.health),
    ...clockRows(exam),
    ...workerRows(exam),
    ...queueRows(exam),
    storageRow(exam),
    ...leftRows(exam.health),
  ];
}

/** A fleet that cannot be examined. */
export function unreachableRow(error: unknown): CheckRow {
  if (!(error instanceof LoopError)) throw error;
  return { name: 'database', level: 'problem', what: error.message, fix: error.failure.hint };
}

function serverRow({ health: { server, serverNumber, isReplica, schema }, place }: FleetExam): CheckRow {
  const [number = server] = server.split(' ');
  const what = `PostgreSQL ${number} at ${place}, schema ${schema}`;
  if (isReplica) {
    const fix = 'Use the address of the primary, in "--db" or RALPHD_DB.';
    return { name: 'database', level: 'problem', what: `${what}: a replica, which records nothing`, fix };
  }
  if (serverNumber >= oldestServer) return { name: 'database', level: 'ok', what };
  return { name: 'database', level: 'problem', what: `${what}: too old`, fix: 'Update it to PostgreSQL 15 or newer.' };
}

function rightsRow({ health: { user, isSuperuser, touchesTables, missingFunctions } }: FleetExam): CheckRow {
  if (missingFunctions > 0) {
    const what = `${user} may not call ${missingFunctions} of the functions that workers need`;
    const fix = /^[\w.-]+$/.test(user)
      ? `psql -c 'grant ralphd_worker to "${user}"'`
      : 'Grant it the role ralphd_worker.';
    return { name: 'rights', level: 'problem', what, fix };
  }
  if (!isSuperuser && touchesTables.length === 0) {
    return { name: 'rights', level: 'ok', what: `${user} can call the functions, and cannot touch a table` };
  }
  const what = isSuperuser
    ? `${user} is an administrator of the whole server: whoever gets at the address is one too`
    : `${user} can change ${touchesTables.length} tables directly, past everything that protects loops`;
  const fix = "psql -c 'create role ci login in role ralphd_worker'";
  return { name: 'rights', level: 'warning', what: `${what}. Workers and people need another user`, fix };
}

/** Settings with which PostgreSQL forgets what it has confirmed. */
function durabilityRows({ settings, replicas }: FleetHealth): readonly CheckRow[] {
  const off = [
    ['fsync', 'a power cut can destroy the database'],
    ['full_page_writes', 'a power cut can damage pages that were being written'],
    ['synchronous_commit', 'a crash of the server loses the last facts that it confirmed'],
  ].flatMap(([name = '', what = '']): readonly CheckRow[] =>
    settings[name] === 'off'
      ? [{ name: 'safety', level: 'problem', what: `${name} is off: ${what}`, fix: setting(name, 'on') }]
      : [],
  );
  if (replicas > 0 && settings['synchronous_standby_names'] === '') {
    const what = `${count(replicas, 'replica')} without synchronous_standby_names: a fail-over loses facts that were confirmed`;
    off.push({ name: 'safety', level: 'warning', what, fix: setting('synchronous_standby_names', 'ANY 1 (*)') });
  }
  if (settings['autovacuum'] === 'off') {
    const what = 'autovacuum is off: tables grow with every sign of life';
    off.push({ name: 'safety', level: 'warning', what, fix: setting('autovacuum', 'on') });
  }
  if (off.length > 0) return off;
  const copies = replicas === 0 ? 'no replica' : `${count(replicas, 'replica')}, confirmed by them`;
  return [{ name: 'safety', level: 'ok', what: `what is confirmed survives a crash; ${copies}` }];
}

function setting(name: string, value: string): string {
  return `psql -c "alter system set ${name} = '${value}'" -c 'select pg_reload_conf()'`;
}

function clientsRow({ health: { connections }, status: { workers } }: FleetExam): CheckRow {
  const { most, used, ofRole, ofDatabase } = connections;
  const allowed = Math.min(...[most, ofRole, ofDatabase].filter((each) => each >= 0));
  const live = workers.filter(({ isLost }) => !isLost).length;
  const needed = live * connectionsPerWorker;
  const what = `${used} of ${allowed} connections are used; ${count(live, 'worker')} ${live === 1 ? 'needs' : 'need'} up to ${needed}`;
  if (needed < allowed && used < allowed) return { name: 'clients', level: 'ok', what };
  const fix =
    allowed === most
      ? `psql -c "alter system set max_connections = ${most + needed}"`
      : 'Raise the connection limit of the user or of the database with "alter role" or "alter database".';
  return { name: 'clients', level: needed < allowed ? 'warning' : 'problem', what, fix };
}

function transactionRows({ longestTransactionSeconds: seconds }: FleetHealth): readonly CheckRow[] {
  if (seconds < longTransactionSeconds) return [];
  const what = `a transaction has been open and idle for ${roughDuration(seconds * 1_000)}: it can hold loops back`;
  const fix = setting('idle_in_transaction_session_timeout', '5s');
  return [{ name: 'clients', level: 'warning', what, fix }];
}

/** When waits end and schedules are due goes by clocks; who owns a loop does not. */
function clockRows({ health, nowMs, status: { workers } }: FleetExam): readonly CheckRow[] {
  const here = nowMs - health.nowMs;
  const others = workers.flatMap(({ isLost, host, clockAheadMs }) =>
    !isLost && clockAheadMs !== null && Math.abs(clockAheadMs) > clockMs ? [{ host, ahead: clockAheadMs }] : [],
  );
  const off = [...(Math.abs(here) > clockMs ? [{ host: 'this machine', ahead: here }] : []), ...others];
  if (off.length === 0) return [{ name: 'clocks', level: 'ok', what: 'this machine, workers and database agree' }];
  return off.map(({ host, ahead }) => ({
    name: 'clocks',
    level: 'warning',
    what: `the clock of ${host} is ${roughDuration(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} the database: waits end at the wrong time`,
    fix: 'timedatectl set-ntp true',
  }));
}

function workerRows({ status: { workers, loops } }: FleetExam): readonly CheckRow[] {
  const live = workers.filter(({ isLost }) => !isLost);
  const silent = live.filter(({ ticksSilent }) => ticksSilent > silentTicks);
  const lost = workers.filter(({ isLost }) => isLost);
  const versions = new Set(live.map(({ version }) => version));
  const rows: CheckRow[] = [];
  const add = (level: CheckRow['level'], what: string, fix?: string) =>
    rows.push({ name: 'workers', level, what, ...(fix === undefined ? {} : { fix }) });
  const places = live.reduce((sum, { capacity }) => sum + capacity, 0);
  const used = live.reduce((sum, each) => sum + each.loops, 0);
  if (live.length > 0) add('ok', `${live.length} alive, ${used} of ${places} places taken`);
  else add(loops.length > 0 ? 'problem' : 'warning', 'no worker is alive', 'ralphd worker --trust URL');
  if (silent.length > 0) {
    const what = `${hosts(silent)}: nothing heard for a while; after 18 ticks the loops go to others`;
    add('warning', what, 'ralphd fleet status');
  }
  for (const each of lost.slice(0, mostNamed)) {
    const what = `${hosts([each])}: lost, and not started again on its machine`;
    add('warning', what, `ralphd fleet forget ${each.id.slice(0, 8)}`);
  }
  if (live.length > 0 && live.every(({ draining }) => draining)) {
    add('warning', 'all of them are about to end, and take no more loops', 'ralphd worker --trust URL');
  }
  if (versions.size > 1) {
    const what = `versions ${[...versions].toSorted().join(', ')} side by side`;
    add('warning', what, 'Update ralphd on the older ones and start them again, one after the other.');
  }
  return rows;
}

function hosts(workers: FleetStatus['workers']): string {
  const names = workers.map(({ host, pid }) => `${host} (process ${pid})`);
  const [shown, rest] = [names.slice(0, mostNamed), names.length - mostNamed];
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ');
}

function storageRow({ health: { bytes, ended }, status: { keep, loops } }: FleetExam): CheckRow {
  const kept = keep === null ? 'kept for ever' : `kept for ${formatDuration(keep)}`;
  const what = `${roughSize(bytes.facts + bytes.loops)} for ${loops.length} open and ${ended.count} ended loops, which are ${kept}; ${roughSize(bytes.database)} in all`;
  if (keep !== null || ended.olderThanMonths === 0) return { name: 'storage', level: 'ok', what };
  const old = `${count(ended.olderThanMonths, 'loop')} ended more than 90 days ago`;
  return { name: 'storage', level: 'warning', what: `${what}. ${old}`, fix: 'ralphd fleet keep 90d' };
}

function leftRows({ deadRows, liveRows, capturesLeft }: FleetHealth): readonly CheckRow[] {
  const rows: CheckRow[] = [];
  if (deadRows > 100_000 && deadRows > liveRows) {
    const what = `${deadRows} dead rows: vacuum does not keep up`;
    rows.push({ name: 'storage', level: 'warning', what, fix: "psql -c 'vacuum (analyze)'" });
  }
  if (capturesLeft > 0) {
    const what = `the shared repositories still have captures of ${count(capturesLeft, 'removed loop')}: no worker that trusts them could delete them`;
    rows.push({ name: 'storage', level: 'warning', what, fix: 'ralphd worker --trust URL' });
  }
  return rows;
}
