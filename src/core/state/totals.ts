import type { ApiCalls } from '../../protocol/index.ts';
import { type Changed, nothingChanged } from './changed.ts';
import { nothingSpent, type Spent } from './spent.ts';
import { emptyStats, type LoopStats } from './stats.ts';

/** What a loop has done and used in total. */
export interface Totals {
  readonly stats: LoopStats;
  readonly spent: Spent;
  readonly runningMs: number;
  readonly changed: Changed;
  /** API calls of the last hour; nothing older than that counts. */
  readonly recentCalls: readonly ApiCalls[];
}

/** Nothing done, nothing used. */
export const noTotals: Totals = {
  stats: emptyStats,
  spent: nothingSpent,
  runningMs: 0,
  changed: nothingChanged,
  recentCalls: [],
};
