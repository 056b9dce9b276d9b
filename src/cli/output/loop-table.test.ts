import { expect, test } from 'vitest';
import type { LoopStatus } from '../../app/index.ts';
import { columnsOf } from '../../base/index.ts';
import { edit, idleLoop, type LoopEdit } from '../../core/index.ts';
import { configSchema } from '../../protocol/index.ts';
import { viewOf } from '../../views/index.ts';
import { loopTable } from './loop-table.ts';

const plain = (text: string) => text;
const paint = { dim: plain, bold: plain, good: plain, bad: plain, warn: plain, note: plain };
const config = configSchema.parse({ maxIterations: 20 });

function statusOf(id: string, seen: LoopEdit, iterations = 0): LoopStatus {
  const started = edit(idleLoop(config), { id, origin: { startedAt: new Date(2026, 10, 17, 18, 41).toISOString() } });
  const { totals } = started;
  const loop = edit(edit(started, { totals: { stats: { ...totals.stats, iterations } } }), seen);
  return { view: viewOf(loop), folder: '', lastSeq: 1, shownStatus: loop.status, ownerState: 'none', problems: [] };
}

const views = [
  statusOf(
    'ralph-fix-tests-a1b2c3d4',
    { status: 'completed', position: { iteration: 7 }, origin: { task: 'Fix the tests' } },
    7,
  ),
  statusOf(
    'ralph-docs-00000002',
    {
      status: 'failed',
      outcome: { reason: 'no_progress' },
      position: { iteration: 13 },
      origin: { task: 'Say in the documents what each of the settings is for' },
    },
    12,
  ),
];

const drawn = (width: number) => loopTable(views, { paint, width, nowMs: 0 });

test('a loop that no process runs is shown as due once its wait is over', () => {
  const until = '2026-11-17T19:41:00.000Z';
  const wait = { until, cause: 'limit', message: '' } as const;
  const found = { ...statusOf('ralph-x-00000003', { status: 'running', pending: { wait } }), wakeAt: until };
  const row = (nowMs: number) => loopTable([found], { paint, width: 200, nowMs })[1];
  expect(row(Date.parse(until) - 60_000)).toContain('waiting 1m');
  expect(row(Date.parse(until))).toContain('due, no process runs it');
});

test('a table of loops shows all of its columns where there is room', () => {
  expect(drawn(Number.POSITIVE_INFINITY)).toMatchInlineSnapshot(`
    [
      "loop                      status     iterations  started           next stop    task",
      "ralph-fix-tests-a1b2c3d4  completed        7/20  2026-11-17 18:41               Fix the tests",
      "ralph-docs-00000002       failed          12/20  2026-11-17 18:41  no_progress  Say in the documents what each of the settings is for",
    ]
  `);
});

test('on 80 columns the start goes first, and the task is cut', () => {
  expect(drawn(80)).toMatchInlineSnapshot(`
    [
      "loop                      status     iterations  next stop    task",
      "ralph-fix-tests-a1b2c3d4  completed        7/20               Fix the tests",
      "ralph-docs-00000002       failed          12/20  no_progress  Say in the docume…",
    ]
  `);
});

test('on 40 columns each loop is a block: its id, its state and its task', () => {
  expect(drawn(40)).toMatchInlineSnapshot(`
    [
      "ralph-fix-tests-a1b2c3d4",
      "  completed, 7/20 iterations",
      "  Fix the tests",
      "ralph-docs-00000002",
      "  failed, 12/20 iterations, no_progress",
      "  Say in the documents what each of the…",
    ]
  `);
});

test('no line is wider than the terminal', () => {
  for (let width = 40; width <= 140; width += 1) {
    for (const line of drawn(width)) expect(line.length, `${width} columns`).toBeLessThanOrEqual(width);
  }
});

test('wide characters, emoji and combining marks keep the columns in line', () => {
  const wide = [
    statusOf('ralph-one', { status: 'running', origin: { task: '修复测试，直到它们全部通过为止' } }),
    statusOf('ralph-two', {
      status: 'paused',
      outcome: { reason: 'no_progress' },
      origin: { task: '🚀 ship e\u0301tudes' },
    }),
    statusOf('ralph-修复-three', { status: 'failed', origin: { task: 'plain' } }),
  ];
  for (let width = 60; width <= 120; width += 1) {
    const lines = loopTable(wide, { paint, width, nowMs: 0 });
    for (const line of lines) expect(columnsOf(line), line).toBeLessThanOrEqual(width);
    const [heading = ''] = lines;
    const status = heading.indexOf('status');
    expect(lines.slice(1).map((line) => columnsOf(line.slice(0, line.search(/running|paused|failed/))))).toEqual([
      status,
      status,
      status,
    ]);
  }
  expect(loopTable(wide, { paint, width: 70, nowMs: 0 })).toMatchInlineSnapshot(`
    [
      "loop              status   iterations  next stop    task",
      "ralph-one         running        0/20               修复测试，直到它…",
      "ralph-two         paused         0/20  no_progress  🚀 ship études",
      "ralph-修复-three  failed         0/20               plain",
    ]
  `);
});

test('no loops make no table', () => {
  expect(loopTable([], { paint, width: 80, nowMs: 0 })).toEqual([]);
});
