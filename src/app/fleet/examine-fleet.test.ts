import { expect, test } from 'vitest';
import type { FleetHealth, FleetStatus } from '../../fleet/index.ts';
import { ago, healthOf, loopOf, nowMs, statusOf, workerOf } from '../testing/fleet-status.ts';
import { fleetRows } from './examine-fleet.ts';

const hour = 3_600_000;
const soon = new Date(nowMs + hour).toISOString();

/** The rows that are not fine, with their fixes. */
function wrong(status: Partial<FleetStatus>, health: Partial<FleetHealth> = {}, hereMs = nowMs): readonly string[] {
  const exam = { place: 'db/ralphd', status: statusOf(status), health: healthOf(health), nowMs: hereMs };
  const rows = fleetRows(exam).filter(({ level }) => level !== 'ok');
  return rows.map(({ name, level, what, fix }) => `${level} ${name}: ${what} -> ${fix}`);
}

test('a fleet in order has a line for each thing that was looked at, and no fix', () => {
  const rows = fleetRows({ place: 'db/ralphd', status: statusOf(), health: healthOf(), nowMs });
  expect(rows.map(({ level, name, what }) => `${level} ${name}: ${what}`)).toMatchInlineSnapshot(`
    [
      "ok database: PostgreSQL 18.4 at db/ralphd, schema 2",
      "ok rights: ci can call the functions, and cannot touch a table",
      "ok safety: what is confirmed survives a crash; no replica",
      "ok clients: 12 of 97 connections are used; 1 worker needs up to 9",
      "ok clocks: this machine, workers and database agree",
      "ok workers: 1 alive, 0 of 4 places taken",
      "ok queue: 0 loops queued, each with a worker that may take it",
      "ok storage: 3.0 GiB for 0 open and 0 ended loops, which are kept for ever; 4.0 GiB in all",
    ]
  `);
  expect(rows.every(({ fix }) => fix === undefined)).toBe(true);
});

const names = healthOf().settings;

test.each<[string, Partial<FleetStatus>, Partial<FleetHealth>, string]>([
  ['a replica', {}, { isReplica: true }, 'problem database'],
  ['an old server', {}, { serverNumber: 140_011, server: '14.11' }, 'problem database: PostgreSQL 14.11'],
  ['an administrator', {}, { isSuperuser: true }, 'warning rights'],
  ['rights on tables', {}, { touchesTables: ['fact'] }, 'warning rights'],
  ['functions that may not be called', {}, { missingFunctions: 3 }, 'problem rights'],
  ['fsync off', {}, { settings: { ...names, fsync: 'off' } }, 'problem safety: fsync'],
  ['full_page_writes off', {}, { settings: { ...names, full_page_writes: 'off' } }, 'problem safety: full_page_writes'],
  [
    'synchronous_commit off',
    {},
    { settings: { ...names, synchronous_commit: 'off' } },
    'problem safety: synchronous_commit',
  ],
  ['replicas that confirm nothing', {}, { replicas: 1 }, 'warning safety: 1 replica without synchronous_standby_names'],
  ['no vacuum', {}, { settings: { ...names, autovacuum: 'off' } }, 'warning safety: autovacuum'],
  [
    'too few connections',
    { workers: Array.from({ length: 11 }, (_, at) => workerOf(at)) },
    {},
    'problem clients: 12 of 97',
  ],
  [
    'a role with few connections',
    {},
    { connections: { most: 97, used: 2, ofRole: 5, ofDatabase: -1 } },
    'problem clients: 2 of 5',
  ],
  ['an open transaction', {}, { longestTransactionSeconds: 90 }, 'warning clients: a transaction'],
  ['dead rows', {}, { deadRows: 200_000, liveRows: 1_000 }, 'warning storage: 200000 dead rows'],
  ['old loops', {}, { ended: { count: 9, oldest: ago(400 * 24 * hour), olderThanMonths: 3 } }, 'warning storage'],
  ['captures that stayed', {}, { capturesLeft: 2 }, 'warning storage: the shared repositories'],
  ['a command that nobody answers', {}, { oldestCommandSeconds: 300 }, 'warning commands: one has waited 5m'],
  ['a schedule that starts nothing', {}, { lateSchedules: ['nightly'] }, 'problem schedules: nightly'],
  [
    'a clock that is ahead',
    { workers: [workerOf(2, { clockAheadMs: 61_000 })] },
    {},
    'warning clocks: the clock of build-2',
  ],
  ['nobody at work', { workers: [], loops: [loopOf('a')] }, {}, 'problem workers: no worker is alive'],
  ['a silent worker', { workers: [workerOf(2, { ticksSilent: 12 })] }, {}, 'warning workers: build-2'],
  [
    'all about to end',
    { workers: [workerOf(1, { draining: true })] },
    {},
    'warning workers: all of them are about to end',
  ],
  [
    'versions side by side',
    { workers: [workerOf(1), workerOf(2, { version: '0.2.0' })] },
    {},
    'warning workers: versions 0.1.0, 0.2.0',
  ],
  [
    'a full fleet',
    { workers: [workerOf(1, { loops: 4 })], loops: [loopOf('a', { queuedAt: ago(hour) })] },
    {},
    'warning queue: 1 loop could start, the oldest for 1h: every worker is full',
  ],
  [
    'places that nobody may use',
    { loops: [loopOf('a', { queuedAt: ago(hour) })] },
    {},
    'warning queue: 1 loop could start, the oldest for 1h, though 4 places are free',
  ],
  [
    'a loop that fails to go on',
    { loops: [loopOf('a', { crashes: 3 })] },
    {},
    'warning crashes: a failed to go on 3 times',
  ],
])('%s is found, with its fix', (_name, status, health, begins) => {
  const found = wrong(status, health);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(new RegExp(`^${begins.replaceAll(/[.()]/g, '\\$&')}.* -> \\S`));
});

test('a machine whose own clock is wrong is told so', () => {
  expect(wrong({}, {}, nowMs - 20_000)).toEqual([
    'warning clocks: the clock of this machine is 20s behind the database: waits end at the wrong time -> timedatectl set-ntp true',
  ]);
});

test('a lost worker, loops that wait for nobody, dead letters and a blocked account each come with what to do', () => {
  const loops = [
    loopOf('offer', { lacks: 'agent', agent: 'gemini' }),
    loopOf('offer-2', { lacks: 'agent', agent: 'gemini' }),
    loopOf('label', { lacks: 'label', labels: ['gpu', "it's"] }),
    loopOf('trust', { lacks: 'trust', repository: 'https://me:secret@git.example.org/x.git' }),
    loopOf('dead', { status: 'held', why: 'its worker died 5 times without a finished iteration', crashes: 5 }),
    loopOf('limited', { account: 'pro', queuedAt: ago(5 * hour) }),
    loopOf('later', { wakeAt: soon, queuedAt: ago(5 * hour) }),
  ];
  const workers = [workerOf(1), workerOf(3, { isLost: true, lostAt: ago(hour), clockAheadMs: 99_000 })];
  const limits = { most: 3, atOnce: null, reserve: 0, used: 0 };
  const accounts = [{ name: 'pro', ...limits, blockedUntil: soon, blockedWhy: 'You have hit your limit' }];
  expect(wrong({ loops, workers, accounts })).toMatchInlineSnapshot(`
    [
      "warning workers: build-3.example.org (process 1203): lost, and not started again on its machine -> ralphd fleet forget 3a7c0ffe",
      "problem queue: offer, offer-2: no worker offers the agent gemini -> ralphd worker --offer 'gemini'",
      "problem queue: label: no worker has all of the labels gpu, it's -> ralphd worker --label 'gpu' --label 'it'\\''s'",
      "problem queue: trust: no worker trusts https://git.example.org/x.git -> ralphd worker --trust 'https://git.example.org/x.git'",
      "problem set aside: dead: its worker died 5 times without a finished iteration -> ralphd fleet requeue dead",
      "warning accounts: pro is blocked by its provider for 1h (You have hit your limit); 1 loop of it waits -> ralphd fleet account 'pro' --unblock",
    ]
  `);
});
