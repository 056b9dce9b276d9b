import type { NightBlock } from '../../../src/protocol/index.ts';
import { clock, day } from '../../words/times.ts';

/** A block of the figure: where it begins and ends, from 0 to 1. */
export interface DrawnBlock {
  readonly block: NightBlock;
  readonly from: number;
  readonly to: number;
}

/** A count of failing tests. */
export interface DrawnPoint {
  readonly at: number;
  readonly failed: number;
  /** From 0, none, to 1, the most. */
  readonly height: number;
  readonly isWorse: boolean;
}

/** The whole figure, independent of its size. */
export interface NightLayout {
  readonly blocks: readonly DrawnBlock[];
  readonly waits: readonly { readonly from: number; readonly to: number; readonly ms: number }[];
  readonly points: readonly DrawnPoint[];
  /** The most expensive block. */
  readonly maxUsd: number;
  /** Where now is; everything right of it is what is left. */
  readonly now: number;
  readonly axis: Axis;
  /** What ends the loop first, if that has a date. */
  readonly end?: string;
}

/** The axis: by time for a night, by iteration for several days. */
export type Axis =
  | { readonly by: 'time'; readonly startMs: number; readonly endMs: number }
  | { readonly by: 'iteration'; readonly count: number; readonly blocks: readonly DrawnBlock[] };

/** What the figure is made of. */
export interface NightInput {
  readonly blocks: readonly NightBlock[];
  readonly startedAtMs: number;
  readonly nowMs: number;
  /** When the time limit ends the loop; missing without one, and for a loop that does not run. */
  readonly limitMs?: number;
  /** The failing tests before the first iteration. */
  readonly failedBefore?: number;
}

const severalDaysMs = 36 * 3_600_000;

/** Lays out the figure. */
export function nightLayout(input: NightInput): NightLayout {
  const { blocks, startedAtMs, nowMs, limitMs } = input;
  const isLong = nowMs - startedAtMs > severalDaysMs;
  const { drawn, axis, now } = isLong ? byIteration(blocks) : byTime(input);
  return {
    blocks: drawn,
    waits: axis.by === 'time' ? waitsIn(drawn, axis) : [],
    points: pointsIn(drawn, input.failedBefore),
    maxUsd: Math.max(0, ...blocks.map(({ costUsd }) => costUsd ?? 0)),
    now,
    axis,
    ...(axis.by === 'time' && limitMs !== undefined
      ? { end: `${clock(limitMs)} time limit${limitMs > axis.endMs ? ' ›' : ''}` }
      : {}),
  };
}

interface Placed {
  readonly drawn: readonly DrawnBlock[];
  readonly axis: Axis;
  readonly now: number;
}

/** What is over gets at least a third of the figure; a limit that is further away is beyond its right edge. */
const maxStretch = 3;

function byTime({ blocks, startedAtMs, nowMs, limitMs }: NightInput): Placed {
  const startMs = Math.min(startedAtMs, ...blocks.slice(0, 1).map(({ startedAt }) => Date.parse(startedAt)));
  const spanMs = Math.max(1_000, nowMs - startMs);
  const endMs =
    limitMs === undefined ? nowMs + spanMs / 10 : Math.min(Math.max(limitMs, nowMs), startMs + spanMs * maxStretch);
  const place = (ms: number) => (Math.min(ms, nowMs) - startMs) / (endMs - startMs);
  const drawn = blocks.map((block) => ({
    block,
    from: place(Date.parse(block.startedAt)),
    to: place(Date.parse(block.endedAt)),
  }));
  return { drawn, axis: { by: 'time', startMs, endMs }, now: place(nowMs) };
}

function byIteration(blocks: readonly NightBlock[]): Placed {
  const count = Math.max(1, blocks.at(-1)?.last ?? 1);
  const end = count * 1.02;
  const drawn = blocks.map((block) => ({ block, from: (block.first - 1) / end, to: block.last / end }));
  return { drawn, axis: { by: 'iteration', count, blocks: drawn }, now: count / end };
}

const minWaitMs = 60_000;
const minWaitShare = 0.015;

function waitsIn(
  drawn: readonly DrawnBlock[],
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
): NightLayout['waits'] {
  return drawn.slice(1).flatMap(({ from }, index) => {
    const end = drawn[index]?.to ?? from;
    const ms = (from - end) * (endMs - startMs);
    return ms > minWaitMs && from - end > minWaitShare ? [{ from: end, to: from, ms }] : [];
  });
}

function pointsIn(drawn: readonly DrawnBlock[], before: number | undefined): readonly DrawnPoint[] {
  const counts = [
    ...(before === undefined ? [] : [{ at: 0, failed: before }]),
    ...drawn.flatMap(({ block: { failedTests }, to }) =>
      failedTests === undefined ? [] : [{ at: to, failed: failedTests }],
    ),
  ];
  const top = Math.max(1, ...counts.map(({ failed }) => failed));
  return counts.map(({ at, failed }, index) => ({
    at,
    failed,
    height: failed / top,
    isWorse: failed > (counts[index - 1]?.failed ?? failed),
  }));
}

/** A label of the axis. */
export interface Tick {
  readonly at: number;
  readonly text: string;
}

const minuteMs = 60_000;
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => minutes * minuteMs);

/** As many labels as there is room for, none near now or the end, which have labels of their own. */
export function ticksOf({ axis, now }: NightLayout, width: number): readonly Tick[] {
  const room = Math.max(1, Math.floor(width / 90));
  const isFree = ({ at }: Tick) => at * width > 20 && at * width < now * width - 62 && at < 0.93;
  if (axis.by === 'iteration') return iterationTicks(axis, room).filter(isFree);
  const { startMs, endMs } = axis;
  const step = steps.find((each) => (endMs - startMs) / each <= room) ?? 720 * minuteMs;
  const offsetMs = new Date(startMs).getTimezoneOffset() * minuteMs;
  const first = Math.ceil((startMs - offsetMs) / step) * step + offsetMs;
  return Array.from({ length: room + 1 }, (_, index) => first + index * step)
    .map((ms) => ({ at: (ms - startMs) / (endMs - startMs), text: clock(ms) }))
    .filter(isFree);
}

function iterationTicks({ count, blocks }: Axis & { by: 'iteration' }, room: number): readonly Tick[] {
  const step = Math.max(1, Math.ceil(count / room));
  return Array.from({ length: room }, (_, index) => 1 + index * step).flatMap((iteration) => {
    const found = blocks.find(({ block }) => block.last >= iteration);
    return found === undefined ? [] : [{ at: found.from, text: `${iteration}, ${day(found.block.startedAt)}` }];
  });
}

/** The block at a place of the figure, or the nearest one. */
export function blockAt(blocks: readonly DrawnBlock[], at: number): number {
  let [low, high] = [0, blocks.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle]?.to ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
