import type { FleetHealth, FleetStatus } from '../../fleet/index.ts';

type Loop = FleetStatus['loops'][number];
type Worker = FleetStatus['workers'][number];

/** When the samples were taken: noon, wherever the tests run. */
export const nowMs = new Date(2026, 10, 19, 12).getTime();

/** An instant so long before the samples. */
export function ago(ms: number): string {
  return new Date(nowMs - ms).toISOString();
}

/** A worker that is alive and idle. */
export function workerOf(number: number, more: Partial<Worker> = {}): Worker {
  return {
    id: `${number}a7c0ffe-0000-4000-8000-000000000000`,
    host: `build-${number}.example.org`,
    pid: 1200 + number,
    version: '0.1.0',
    capacity: 4,
    agents: ['claude', 'codex', 'command', 'demo'],
    accounts: null,
    labels: [],
    trust: ['https://git.example.org/team/'],
    draining: false,
    isLost: false,
    lostAt: null,
    ticksSilent: 1,
    clockAheadMs: 40,
    startedAt: ago(86_400_000),
    loops: 0,
    ...more,
  };
}

/** A loop that was queued a minute ago. */
export function loopOf(id: string, more: Partial<Loop> = {}): Loop {
  return {
    id,
    status: 'queued',
    why: null,
    title: id,
    priority: 0,
    account: null,
    agent: 'claude',
    labels: [],
    repository: 'https://git.example.org/team/tool.git',
    byPerson: true,
    submittedBy: 'ann',
    submittedAt: ago(60_000),
    queuedAt: ago(60_000),
    wakeAt: null,
    epoch: 0,
    facts: 0,
    crashes: 0,
    worker: null,
    ownedSince: null,
    lacks: null,
    commands: 0,
    ...more,
  };
}

/** A fleet with one idle worker and nothing to do. */
export function statusOf(more: Partial<FleetStatus> = {}): FleetStatus {
  const nothing = { loops: [], accounts: [], schedules: [] };
  return { tick: 1_000, workers: [workerOf(1)], ended: 0, keep: null, ...nothing, ...more };
}

/** A server with nothing to complain about. */
export function healthOf(more: Partial<FleetHealth> = {}): FleetHealth {
  return {
    server: '18.4 (Debian 18.4-1)',
    serverNumber: 180_004,
    schema: 2,
    nowMs,
    isReplica: false,
    settings: {
      fsync: 'on',
      full_page_writes: 'on',
      synchronous_commit: 'on',
      synchronous_standby_names: '',
      autovacuum: 'on',
    },
    replicas: 0,
    user: 'ci',
    owner: 'admin',
    isSuperuser: false,
    touchesTables: [],
    missingFunctions: 0,
    connections: { most: 97, used: 12, ofRole: -1, ofDatabase: -1 },
    longestTransactionSeconds: 0,
    bytes: { facts: 3 * 1024 ** 3, loops: 1024 ** 2, database: 4 * 1024 ** 3 },
    deadRows: 10,
    liveRows: 10_000,
    ended: { count: 0, oldest: null, olderThanMonths: 0 },
    capturesLeft: 0,
    oldestCommandSeconds: null,
    lateSchedules: [],
    ...more,
  };
}
