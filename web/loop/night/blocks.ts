import type { IterationSign } from '../../../src/core/index.ts';
import type { NightBlock } from '../../../src/protocol/index.ts';
import { rowsOf, type ShownRow } from '../../../src/views/index.ts';
import type { ShownLoop } from '../../state/loop.ts';

/** At most this many blocks are drawn; neighbours are merged until they fit. */
const maxBlocks = 200;

/** The iterations of a loop so far: those that the server has merged, and every later one. */
export function blocksOf({ page, history }: ShownLoop, nowMs: number): readonly NightBlock[] {
  const { through, blocks } = page.night;
  const later = rowsOf(history)
    .filter(({ iteration }) => iteration > through)
    .map((row) => blockOf(row, nowMs));
  return mergeTo([...blocks, ...later], maxBlocks);
}

function blockOf(row: ShownRow, nowMs: number): NightBlock {
  const { iteration, sign, startedAt, endedAt, failedTests, costUsd, what } = row;
  return {
    first: iteration,
    last: iteration,
    sign,
    startedAt,
    endedAt: endedAt ?? new Date(nowMs).toISOString(),
    ...(failedTests === undefined ? {} : { failedTests }),
    costUsd,
    isCostWhole: costUsd !== null,
    guided: what.includes('with guidance'),
  };
}

/** Merges neighbours in equal numbers; the newest block stays alone, because it may be under way. */
export function mergeTo(blocks: readonly NightBlock[], max: number): readonly NightBlock[] {
  if (blocks.length <= max) return blocks;
  const size = Math.ceil((blocks.length - 1) / (max - 1));
  const older = blocks.slice(0, -1);
  const groups = Array.from({ length: Math.ceil(older.length / size) }, (_, index) =>
    older.slice(index * size, (index + 1) * size),
  );
  return [...groups.map(mergeAll), ...blocks.slice(-1)];
}

/** From best to worst. */
const order: readonly IterationSign[] = [
  'proven',
  'claimed',
  'better',
  'open',
  'skipped',
  'still',
  'unknown',
  'refused',
  'failed',
];

function mergeAll(group: readonly NightBlock[]): NightBlock {
  return group.slice(1).reduce(mergeTwo, group[0] as NightBlock);
}

/** Two neighbours as one, with the worse sign. */
function mergeTwo(one: NightBlock, other: NightBlock): NightBlock {
  const failedTests = other.failedTests ?? one.failedTests;
  return {
    first: one.first,
    last: other.last,
    sign: order.indexOf(one.sign) > order.indexOf(other.sign) ? one.sign : other.sign,
    startedAt: one.startedAt,
    endedAt: other.endedAt,
    ...(failedTests === undefined ? {} : { failedTests }),
    costUsd: one.costUsd === null && other.costUsd === null ? null : (one.costUsd ?? 0) + (other.costUsd ?? 0),
    isCostWhole: one.isCostWhole && other.isCostWhole,
    guided: one.guided || other.guided,
  };
}
