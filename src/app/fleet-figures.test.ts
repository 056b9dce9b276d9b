import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { parseExposition } from '../core/testing/parse-exposition.ts';
import { createFleetFigures } from './fleet-figures.ts';
import { openStore } from './stores.ts';
import { abortedFact, createPlace, leaveLoop } from './testing/left-loop.ts';

function statusesIn(text: string): Readonly<Record<string, number>> {
  const { samples } = parseExposition(text, 'openmetrics');
  const own = samples.filter(({ name }) => name === 'ralph_loop_loops');
  return Object.fromEntries(own.map(({ labels, value }) => [labels['status'] ?? '', value]));
}

test('B053: figures of all loops of several places follow what is recorded, and new owners, from call to call', async () => {
  const [one, two] = [createPlace(), createPlace()];
  leaveLoop(one, 'ralph-fix-a1b2c3d4');
  leaveLoop(two, 'ralph-fix-a1b2c3d4', abortedFact);
  // The same place twice counts once.
  const figures = createFleetFigures(() => [one, two, one]);
  expect(statusesIn(await figures.openMetrics())).toEqual({ crashed: 1, aborted: 1 });
  {
    using open = openStore(one).open('ralph-fix-a1b2c3d4');
    expect(statusesIn(await figures.openMetrics())).toEqual({ running: 1, aborted: 1 });
    open.append([abortedFact]);
    expect(statusesIn(await figures.openMetrics())).toEqual({ aborted: 2 });
  }
  expect(await figures.numbers()).toMatchObject({ started: 2, ended: 2, proven: 0, successRate: 0, unreadable: [] });
  leaveLoop(two, 'ralph-new-b1b2c3d4');
  rmSync(path.join(one.root, 'loops'), { recursive: true });
  expect(statusesIn(await figures.openMetrics())).toEqual({ crashed: 1, aborted: 1 });
  expect(await figures.numbers({ sinceMs: Date.now() + 60_000 })).toMatchObject({ started: 0 });
});

test('what was read before is not read again', async () => {
  const place = createPlace();
  leaveLoop(place, 'ralph-fix-a1b2c3d4', abortedFact);
  const figures = createFleetFigures(() => [place]);
  const before = await figures.openMetrics();
  const journal = path.join(place.root, 'loops/ralph-fix-a1b2c3d4/journal/0001-0001.jsonl');
  const size = openStore(place).mark('ralph-fix-a1b2c3d4');
  writeFileSync(journal, 'x'.repeat(Number(/:(\d+):/u.exec(size)?.[1])));
  expect(openStore(place).mark('ralph-fix-a1b2c3d4')).toBe(size);
  expect(await figures.openMetrics()).toBe(before);
});

test('a loop that cannot be read is counted as such and hides no other', async () => {
  const place = createPlace();
  leaveLoop(place, 'ralph-fix-a1b2c3d4', abortedFact);
  leaveLoop(place, 'ralph-docs-b1b2c3d4');
  writeFileSync(path.join(place.root, 'loops/ralph-docs-b1b2c3d4/journal/0001-0001.jsonl'), 'no journal\n');
  const figures = createFleetFigures(() => [place]);
  const { samples } = parseExposition(await figures.openMetrics(), 'openmetrics');
  expect(samples.find(({ name }) => name === 'ralph_loop_loops_unreadable')?.value).toBe(1);
  expect((await figures.numbers()).unreadable).toMatchObject([{ loopId: 'ralph-docs-b1b2c3d4' }]);
  expect(statusesIn(await figures.openMetrics())).toEqual({ aborted: 1 });
});

test('while loops are read for the first time, others get their turn after each, and one may be removed', async () => {
  const place = createPlace();
  const names = ['a', 'b', 'c', 'd'].map((name) => `ralph-${name}-a1b2c3d4`);
  for (const name of names) leaveLoop(place, name, abortedFact);
  const figures = createFleetFigures(() => [place]);
  let isRead = false;
  const reading = Promise.all([figures.openMetrics(), figures.openMetrics()]).finally(() => (isRead = true));
  let turns = 0;
  for (; !isRead; turns += 1) {
    await nextTurn();
    if (turns === 0) rmSync(path.join(place.root, 'loops/ralph-d-a1b2c3d4'), { recursive: true });
  }
  expect(turns).toBeGreaterThan(3);
  const [first, second] = await reading;
  expect(statusesIn(first)).toEqual({ aborted: 3 });
  expect(second).toBe(first);
  expect(first).toContain('ralph_loop_loops_unreadable{} 0');
});
