import { expect, test } from 'vitest';
import { ago, loopOf, nowMs, statusOf, workerOf } from '../../app/testing/fleet-status.ts';
import { fitLines } from './fit-lines.ts';
import { fleetLines } from './fleet-lines.ts';
import { plainPaint } from './paint.ts';

const minute = 60_000;
const later = (ms: number) => new Date(nowMs + ms).toISOString();
const tasks = [
  'Fix the login tests',
  'Port the parser to the new grammar',
  'Raise the coverage of billing',
  'Update React',
];

/** Three workers and forty loops, in all their places. */
function busy() {
  const workers = [
    workerOf(1, { loops: 4 }),
    workerOf(2, { loops: 2, draining: true, labels: ['gpu'] }),
    workerOf(3, { isLost: true, lostAt: ago(3 * minute) }),
  ];
  const named = (index: number) => {
    const title = tasks[index % tasks.length] ?? '';
    const slug = title.toLowerCase().replaceAll(' ', '-').slice(0, 20);
    return { id: `ralph-${slug}-${String(index).padStart(8, '0')}`, title };
  };
  const more = [
    ...Array.from({ length: 6 }, (_, at) => ({
      status: 'driven' as const,
      worker: workers[at < 4 ? 0 : 1]?.id ?? null,
      ownedSince: ago((at + 1) * 7 * minute),
      account: at % 2 === 0 ? 'team-max' : null,
      commands: at === 3 ? 1 : 0,
    })),
    ...Array.from({ length: 24 }, (_, at) => ({
      priority: at % 5 === 0 ? 5 : 0,
      queuedAt: ago(at * minute),
      crashes: at === 2 ? 2 : 0,
    })),
    ...Array.from({ length: 6 }, (_, at) =>
      at < 3 ? { account: 'pro' } : { wakeAt: later(at * 9 * minute), why: 'the git server does not answer' },
    ),
    { status: 'paused' as const },
    { status: 'held' as const, why: 'its worker died 5 times without a finished iteration', crashes: 5 },
    { lacks: 'label' as const, labels: ['mac'] },
    { lacks: 'trust' as const, repository: 'https://git.example.org/others/tool.git' },
  ];
  const loops = more.map((each, index) => {
    const { id, title } = named(index);
    return loopOf(id, { title, ...each });
  });
  const accounts = [
    { name: 'team-max', most: 8, atOnce: 3, reserve: 1, blockedUntil: null, blockedWhy: null, used: 3 },
    {
      name: 'pro',
      most: 2,
      atOnce: null,
      reserve: 0,
      blockedUntil: later(95 * minute),
      blockedWhy: 'You have hit your session limit',
      used: 0,
    },
  ];
  const schedules = [
    {
      id: 'nightly',
      every: '30 2 * * mon-fri',
      zone: 'Europe/Berlin',
      missed: 'skip' as const,
      nextMs: nowMs + 13 * 60 * minute,
      title: 'Tidy up',
    },
  ];
  return statusOf({ workers, loops, accounts, schedules, ended: 812 });
}

function drawn(status: ReturnType<typeof busy>, width: number, all = false): readonly string[] {
  return fitLines(fleetLines(status, { nowMs, paint: plainPaint, width, all }), width);
}

test('three workers and forty loops fit a terminal of 80 columns, what needs a person first', () => {
  const lines = drawn(busy(), 80);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(`\n${lines.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    2 workers with 8 places
    6 at work, 24 next (the oldest waits 23m), 6 waiting, 1 paused, 3 for you, 812
      ended

    Needs you
      ✗ ralph-port-the-parser-to-t-00000037
        its worker died 5 times without a finished iteration
        next: ralphd fleet requeue ralph-port-the-parser-to-t-00000037
      ✗ ralph-raise-the-coverage-o-00000038
        No worker has the label mac.
        next: ralphd worker --label 'mac'
      ✗ ralph-update-react-00000039
        No worker trusts https://git.example.org/others/tool.git.
        next: ralphd worker --trust 'https://git.example.org/others/tool.git'

    Workers
      worker    state     loops  host                  pid  version  offers
      1a7c0ffe  alive       4/4  build-1.example.org  1201  0.1.0    claude codex…
      2a7c0ffe  draining    2/4  build-2.example.org  1202  0.1.0    claude codex…
      3a7c0ffe  lost 3m     0/4  build-3.example.org  1203  0.1.0    claude codex…

    At work
      loop                                 on                   for  account
      ralph-fix-the-login-tests-00000000   build-1.example.org   7m  team-max
      ralph-port-the-parser-to-t-00000001  build-1.example.org  14m
      ralph-raise-the-coverage-o-00000002  build-1.example.org  21m  team-max
      ralph-update-react-00000003          build-1.example.org  28m
      ralph-fix-the-login-tests-00000004   build-2.example.org  35m  team-max
      ralph-port-the-parser-to-t-00000005  build-2.example.org  42m

    Next
      loop                                 waits  prio  task
      ralph-raise-the-coverage-o-00000026    20m     5  Raise the coverage of…
      ralph-port-the-parser-to-t-00000021    15m     5  Port the parser to the new…
      ralph-fix-the-login-tests-00000016     10m     5
      ralph-update-react-00000011             5m     5
      ralph-raise-the-coverage-o-00000006     0s     5  Raise the coverage of…
      ralph-port-the-parser-to-t-00000029    23m        Port the parser to the new…
      ralph-fix-the-login-tests-00000028     22m
      ralph-update-react-00000027            21m
      ralph-port-the-parser-to-t-00000025    19m        Port the parser to the new…
      ralph-fix-the-login-tests-00000024     18m
      ralph-update-react-00000023            17m
      ralph-raise-the-coverage-o-00000022    16m        Raise the coverage of…
      ralph-fix-the-login-tests-00000020     14m
      ralph-update-react-00000019            13m
      ralph-raise-the-coverage-o-00000018    12m        Raise the coverage of…
      and 9 more (--all shows them)

    Waiting
      loop                                 until  account
      ralph-raise-the-coverage-o-00000030  13:35  pro
      ralph-update-react-00000031          13:35  pro
      ralph-fix-the-login-tests-00000032   13:35  pro
      ralph-port-the-parser-to-t-00000033  12:27
      ralph-raise-the-coverage-o-00000034  12:36
      ralph-update-react-00000035          12:45

    Paused
      loop
      ralph-fix-the-login-tests-00000036

    Accounts
      team-max: 3 of 8 at once, at most 3 now, since its provider was overloaded, 1
                kept from scheduled loops
      pro: 0 of 2 at once, blocked until 13:35, You have hit your session limit

    Schedules
      nightly: 30 2 * * mon-fri (Europe/Berlin), missed runs: skip, next tomorrow
               01:00
    "
  `);
});

test('every loop is shown when it is asked for, and each kind is bounded otherwise', () => {
  const status = busy();
  const all = drawn(status, 80, true).join('\n');
  const some = drawn(status, 80).join('\n');
  expect(status.loops.filter(({ id }) => !all.includes(id))).toEqual([]);
  expect(status.loops.filter(({ id }) => !some.includes(id))).toHaveLength(9);
});

test.each([40, 60, 120, Number.POSITIVE_INFINITY])(
  'ids stay whole at %s columns, so that they can be copied',
  (width) => {
    const status = busy();
    const text = drawn(status, width, true).join('\n');
    expect(status.loops.filter(({ id }) => !text.includes(id))).toEqual([]);
  },
);

test('hostile titles, hosts and reasons print no control characters', () => {
  const evil = '\u001b[2J\u0007evil\nline';
  const status = statusOf({
    workers: [workerOf(1, { host: evil, version: evil, labels: [evil] })],
    loops: [loopOf('a', { title: evil, status: 'held', why: evil }), loopOf('b', { title: evil, account: evil })],
    accounts: [{ name: evil, most: null, atOnce: null, reserve: 0, blockedUntil: later(1), blockedWhy: evil, used: 0 }],
  });
  expect(drawn(status, 80).join('\n')).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
});

test('a fleet without anything says what to do first', () => {
  expect(drawn(statusOf({ workers: [] }), 80)).toEqual([
    '0 workers with 0 places',
    'No loops. Queue one: ralphd submit "TASK" --verify CMD',
  ]);
});
