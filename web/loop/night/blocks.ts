import type { NightBlock } from '../../../src/protocol/index.ts';
import { mergedBlock, rowsOf, type ShownRow } from '../../../src/views/index.ts';
import type { ShownLoop } from '../../state/loop.ts';

/** At most this many blocks are drawn; neighbours are merged until they fit. */
const maxBlocks = 200;

/** The iterations of a loop so far: those that the server has merged, and every later one. */
export function blocksOf({ page, history }: ShownLoop, nowMs: number): readonly NightBlock[] {
  const { through, blocks } = page.night;
  const rows = rowsOf(history);
  const later = rows.flatMap((row, index) =>
    row.iteration > through ? [{ ...blockOf(row, nowMs), guided: isGuided(row) && !isGuided(rows[index - 1]) }] : [],
  );
  return mergeTo([...blocks, ...later], maxBlocks);
}

function isGuided(row: ShownRow | undefined): boolean {
  return row?.what.includes('with guidance') === true;
}

function blockOf(row: ShownRow, nowMs: number): Omit<NightBlock, 'guided'> {
  const { iteration, sign, startedAt, endedAt, failedTests, costUsd } = row;
  return {
    first: iteration,
    last: iteration,
    sign,
    startedAt,
    endedAt: endedAt ?? new Date(nowMs).toISOString(),
    ...(failedTests === undefined ? {} : { failedTests }),
    costUsd,
    isCostWhole: costUsd !== null,
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
  return [...groups.flatMap(mergeAll), ...blocks.slice(-1)];
}

function mergeAll(group: readonly NightBlock[]): readonly NightBlock[] {
  const [first, ...rest] = group;
  return first === undefined ? [] : [rest.reduce(mergedBlock, first)];
}
