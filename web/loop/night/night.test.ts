import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { NightBlock } from '../../../src/protocol/index.ts';
import { mergeTo } from './blocks.ts';
import { blockAt, nightLayout, ticksOf } from './layout.ts';

const startMs = Date.parse('2026-11-17T21:00:00Z');
const minuteMs = 60_000;

test('merged blocks cover every iteration once, keep all cost, and show the worst sign', () => {
  const signs = fc.constantFrom('better', 'still', 'refused', 'failed', 'proven', 'unknown') as fc.Arbitrary<
    NightBlock['sign']
  >;
  fc.assert(
    fc.property(
      fc.array(fc.tuple(signs, fc.option(fc.integer({ min: 0, max: 9 }))), { minLength: 1, maxLength: 900 }),
      (made) => {
        const blocks = made.map(([sign, cost], index) => block(index + 1, { sign, costUsd: cost }));
        const merged = mergeTo(blocks, 200);
        expect(merged.length).toBeLessThanOrEqual(200);
        expect(
          merged.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, index) => first + index)),
        ).toEqual(blocks.map(({ first }) => first));
        const sum = (all: readonly NightBlock[]) => all.reduce((total, { costUsd }) => total + (costUsd ?? 0), 0);
        expect(sum(merged)).toBe(sum(blocks));
        for (const { first, last, sign } of merged) {
          const inside = made.slice(first - 1, last).map(([each]) => each);
          if (inside.includes('failed')) expect(sign).toBe('failed');
          else if (inside.includes('refused')) expect(sign).toBe('refused');
        }
      },
    ),
  );
});

test('a night has one axis to its time limit: what is left is what lies after now', () => {
  const nowMs = startMs + 60 * minuteMs;
  const layout = nightLayout({
    blocks: [block(1), block(2)],
    startedAtMs: startMs,
    nowMs,
    limitMs: nowMs + 60 * minuteMs,
  });
  expect(layout.now).toBeCloseTo(0.5);
  expect(layout.blocks.map(({ from, to }) => [from, to])).toEqual([
    [0, 9 / 120],
    [10 / 120, 19 / 120],
  ]);
  expect(layout.end).toMatch(/^\d\d:\d\d time limit$/u);
});

test('a wait between iterations is drawn, and a normal pause is not', () => {
  const blocks = [block(1), block(2), { ...block(3), startedAt: at(60), endedAt: at(70) }];
  const { waits } = nightLayout({ blocks, startedAtMs: startMs, nowMs: startMs + 80 * minuteMs });
  expect(waits).toHaveLength(1);
  expect(waits[0]?.ms).toBeCloseTo(41 * minuteMs, -3);
});

test('failing tests are drawn only where they were counted, and more than before is worse', () => {
  const blocks = [block(1, { failedTests: 4 }), block(2), block(3, { failedTests: 6 }), block(4, { failedTests: 0 })];
  const { points } = nightLayout({ blocks, startedAtMs: startMs, nowMs: startMs + 50 * minuteMs, failedBefore: 8 });
  expect(points.map(({ failed, isWorse, height }) => [failed, isWorse, height])).toEqual([
    [8, false, 1],
    [4, false, 0.5],
    [6, true, 0.75],
    [0, false, 0],
  ]);
});

test('several days have an axis by iteration', () => {
  const blocks = [block(1), { ...block(2), startedAt: at(4_000), endedAt: at(4_010) }];
  const layout = nightLayout({ blocks, startedAtMs: startMs, nowMs: startMs + 4_010 * minuteMs });
  expect(layout.axis.by).toBe('iteration');
  expect(layout.blocks[0]?.to).toBeCloseTo(layout.blocks[1]?.from ?? 0);
});

test('the labels of the axis never collide with each other or with now', () => {
  fc.assert(
    fc.property(fc.integer({ min: 200, max: 1_800 }), fc.integer({ min: 1, max: 2_000 }), (width, minutes) => {
      const layout = nightLayout({ blocks: [block(1)], startedAtMs: startMs, nowMs: startMs + minutes * minuteMs });
      const places = ticksOf(layout, width).map((tick) => tick.at * width);
      for (const [index, place] of places.entries()) {
        expect(place - (places[index - 1] ?? -100)).toBeGreaterThan(40);
        expect(layout.now * width - place).toBeGreaterThan(40);
      }
    }),
  );
});

test('every place of the figure belongs to the block under it', () => {
  const blocks = Array.from({ length: 7 }, (_, index) => ({
    block: block(index + 1),
    from: index / 7,
    to: (index + 1) / 7,
  }));
  expect([0, 0.1, 0.5, 0.99, 1.2].map((place) => blockAt(blocks, place))).toEqual([0, 0, 3, 6, 6]);
});

function block(number: number, more: Partial<NightBlock> = {}): NightBlock {
  const [startedAt, endedAt] = [at((number - 1) * 10), at(number * 10 - 1)];
  return {
    first: number,
    last: number,
    sign: 'better',
    startedAt,
    endedAt,
    costUsd: 1,
    isCostWhole: true,
    guided: false,
    ...more,
  };
}

function at(minutes: number): string {
  return new Date(startMs + minutes * minuteMs).toISOString();
}
