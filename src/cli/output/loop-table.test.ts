import { expect, test } from 'vitest';
import type { LoopView } from '../../app/index.ts';
import { idleLoop, type ShownLoop } from '../../core/index.ts';
import { configSchema } from '../../protocol/index.ts';
import { loopTable } from './loop-table.ts';

const plain = (text: string) => text;
const paint = { dim: plain, bold: plain, good: plain, bad: plain, warn: plain, note: plain };
const config = configSchema.parse({ maxIterations: 20 });

function viewOf(id: string, seen: Partial<ShownLoop>): LoopView<ShownLoop> {
  const loop = { ...idleLoop(config), id, startedAt: '2026-11-17T18:41:00.000Z', ...seen };
  return { loop, folder: '', shownStatus: loop.status, problems: [] };
}

const views = [
  viewOf('ralph-fix-tests-a1b2c3d4', { status: 'completed', iteration: 7, task: 'Fix the tests' }),
  viewOf('ralph-docs-00000002', {
    status: 'failed',
    reason: 'no_progress',
    iteration: 12,
    task: 'Say in the documents what each of the settings is for',
  }),
];

const drawn = (width: number) => loopTable(views, { paint, width, nowMs: 0 });

test('a table of loops shows all of its columns where there is room', () => {
  expect(drawn(Number.POSITIVE_INFINITY)).toMatchInlineSnapshot(`
    [
      "loop                      status      done  started           next stop    task",
      "ralph-fix-tests-a1b2c3d4  completed   7/20  2026-11-17 18:41               Fix the tests",
      "ralph-docs-00000002       failed     12/20  2026-11-17 18:41  no_progress  Say in the documents what each of the settings is for",
    ]
  `);
});

test('on 80 columns the start goes first, and the task is cut', () => {
  expect(drawn(80)).toMatchInlineSnapshot(`
    [
      "loop                      status      done  next stop    task",
      "ralph-fix-tests-a1b2c3d4  completed   7/20               Fix the tests",
      "ralph-docs-00000002       failed     12/20  no_progress  Say in the documents w…",
    ]
  `);
});

test('no line is wider than the terminal', () => {
  for (let width = 60; width <= 140; width += 1) {
    for (const line of drawn(width)) expect(line.length, `${width} columns`).toBeLessThanOrEqual(width);
  }
});

test('no loops make no table', () => {
  expect(loopTable([], { paint, width: 80, nowMs: 0 })).toEqual([]);
});
