import { type IterationAccount, type IterationSign, lastAttempt } from '../core/index.ts';
import type { ShownRow } from './history.ts';

/** One block of the figure of a night: an iteration, or several of them in a row. */
export interface NightBlock {
  readonly first: number;
  readonly last: number;
  /** The worst of them. */
  readonly sign: IterationSign;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly failedTests?: number;
  /** Null if no run reported a cost. */
  readonly costUsd: number | null;
  /** Whether every run reported its cost. */
  readonly isCostWhole: boolean;
  /** One of its prompts had more guidance than the one before. */
  readonly guided: boolean;
}

/** All iterations of a loop in a bounded number of blocks. */
export interface Night {
  readonly blocks: readonly NightBlock[];
  /** How many iterations a block holds. */
  readonly each: number;
  /** How many are in the last block. */
  readonly filled: number;
  /** How many pieces of guidance the latest prompt had. */
  readonly guidance: number;
}

/** No iteration yet. */
export const noNight: Night = { blocks: [], each: 1, filled: 1, guidance: 0 };

const maxBlocks = 200;

/** From the worst on. */
const worst: readonly IterationSign[] = [
  'failed',
  'refused',
  'still',
  'unknown',
  'open',
  'skipped',
  'better',
  'claimed',
  'proven',
];

/** Takes one more iteration. When there are too many blocks, two become one. */
export function addToNight(night: Night, row: ShownRow, account: IterationAccount): Night {
  const { guidance = 0 } = lastAttempt(account) ?? {};
  const block = blockOf(row, guidance > night.guidance);
  const last = night.blocks.at(-1);
  if (last !== undefined && night.filled < night.each) {
    const blocks = [...night.blocks.slice(0, -1), mergedBlock(last, block)];
    return { ...night, blocks, filled: night.filled + 1, guidance };
  }
  const blocks = [...night.blocks, block];
  if (blocks.length <= maxBlocks) return { ...night, blocks, filled: 1, guidance };
  return { blocks: halved(blocks), each: 2 * night.each, filled: 1, guidance };
}

function blockOf(row: ShownRow, guided: boolean): NightBlock {
  const { iteration, sign, startedAt, endedAt = startedAt, failedTests, costUsd } = row;
  return {
    first: iteration,
    last: iteration,
    sign,
    startedAt,
    endedAt,
    ...(failedTests === undefined ? {} : { failedTests }),
    costUsd,
    isCostWhole: costUsd !== null,
    guided,
  };
}

/** Two neighbours as one, with the worse sign. */
export function mergedBlock(one: NightBlock, next: NightBlock): NightBlock {
  const failedTests = next.failedTests ?? one.failedTests;
  const known = [one.costUsd, next.costUsd].filter((cost) => cost !== null);
  return {
    first: one.first,
    last: next.last,
    sign: worst.find((sign) => sign === one.sign || sign === next.sign) ?? next.sign,
    startedAt: one.startedAt,
    endedAt: next.endedAt,
    ...(failedTests === undefined ? {} : { failedTests }),
    costUsd: known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0),
    isCostWhole: one.isCostWhole && next.isCostWhole,
    guided: one.guided || next.guided,
  };
}

/** Two and two; an odd one at the end stays alone. */
function halved(blocks: readonly NightBlock[]): readonly NightBlock[] {
  return blocks.flatMap((block, index) => {
    const next = blocks[index + 1];
    if (index % 2 === 1) return [];
    return [next === undefined ? block : mergedBlock(block, next)];
  });
}
