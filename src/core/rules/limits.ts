import { formatDuration } from '../../base/index.ts';
import { type Limit, type LoopConfig, limits } from '../../protocol/index.ts';
import type { Loop } from '../state/loop.ts';

/** The value set for a limit, if there is one. */
export function boundOf({ setting }: Limit, config: LoopConfig): number | undefined {
  return setting === 'maxIterations' && config.maxIterations === 0 ? undefined : config[setting];
}

/** How much of what a limit bounds has been used. */
export function amountUsed({ setting, reported }: Limit, { totals, position }: Loop): number {
  if (reported !== undefined) return totals.spent[reported.total];
  return setting === 'maxTime' ? totals.runningMs : position.finished;
}

/** An amount with its unit. */
export function amountText({ unit, one, many }: Pick<Limit, 'unit' | 'one' | 'many'>, amount: number): string {
  if (unit === 'time') return formatDuration(Math.floor(amount));
  return unit === 'money' ? `$${amount.toFixed(2)}` : `${amount} ${amount === 1 ? one : many}`;
}

/** How much of a bound is used, 0 to 1; `null` when no run reported it, `undefined` when there is no such bound. */
export function shareOf(limit: Limit, loop: Loop): number | null | undefined {
  const bound = boundOf(limit, loop.config);
  if (bound === undefined) return undefined;
  const { runs } = loop.totals.spent;
  const isUnknown = runs > 0 && unreportedRuns(limit, loop) === runs;
  return isUnknown ? null : Math.min(1, amountUsed(limit, loop) / bound);
}

/** How much of a limit is used, in words. What no run reported is unknown, never 0. */
export function describeUse(limit: Limit, loop: Loop): string {
  const unreported = unreportedRuns(limit, loop);
  const used = shareOf(limit, loop) === null ? 'unknown' : bare(limit, amountUsed(limit, loop));
  const note = unreported === 0 ? '' : ` (${unreported} ${unreported === 1 ? 'run' : 'runs'} reported nothing)`;
  const unit = limit.unit === 'money' ? '' : ` ${limit.many}`;
  return `${used} of ${bare(limit, boundOf(limit, loop.config) ?? 0)}${unit}${note}`;
}

function bare(limit: Limit, amount: number): string {
  return limit.unit === 'count' ? String(amount) : amountText(limit, amount);
}

function unreportedRuns({ reported }: Limit, { totals }: Loop): number {
  return reported === undefined ? 0 : totals.spent[reported.unreported];
}

/** The limits that are reached. */
export function reachedLimits(loop: Loop): readonly Limit[] {
  return limits.filter((limit) => shareOf(limit, loop) === 1);
}
