import { formatDuration } from '../../base/index.ts';
import { type Limit, type LoopConfig, limits } from '../../protocol/index.ts';
import type { Changed } from '../state/changed.ts';
import type { Loop } from '../state/loop.ts';

/** The value set for a limit, if there is one. */
export function boundOf({ setting }: Limit, config: LoopConfig): number | undefined {
  return setting === 'maxIterations' && config.maxIterations === 0 ? undefined : config[setting];
}

/** How much of what a limit bounds has been used. */
export function amountUsed({ setting, reported, changed, between }: Limit, { totals, position }: Loop): number {
  if (reported !== undefined) return totals.spent[reported.total];
  if (changed !== undefined) return amountChanged(changed, totals.changed);
  if (between !== undefined) return totals.stats.reboots;
  return setting === 'maxTime' ? totals.runningMs : position.finished;
}

function amountChanged(what: 'files' | 'lines', { files, unlisted, lines }: Changed): number {
  return what === 'files' ? files.length + unlisted : lines;
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
  return isUnknown(limit, loop) ? null : Math.min(1, amountUsed(limit, loop) / bound);
}

/** How much of a limit is used, in words. What no run reported is unknown, never 0. */
export function describeUse(limit: Limit, loop: Loop): string {
  const unreported = unreportedRuns(limit, loop);
  const used = shareOf(limit, loop) === null ? 'unknown' : bare(limit, amountUsed(limit, loop));
  const missing = limit.changed === undefined ? 'reported nothing' : 'could not be counted';
  const note = unreported === 0 ? '' : ` (${unreported} ${unreported === 1 ? 'run' : 'runs'} ${missing})`;
  const unit = limit.unit === 'money' ? '' : ` ${limit.many}`;
  return `${used} of ${bare(limit, boundOf(limit, loop.config) ?? 0)}${unit}${note}`;
}

function bare(limit: Limit, amount: number): string {
  return limit.unit === 'count' ? String(amount) : amountText(limit, amount);
}

/** Whether nothing is known of what a limit bounds, although there was something to know. */
function isUnknown(limit: Limit, loop: Loop): boolean {
  const unreported = unreportedRuns(limit, loop);
  if (limit.changed !== undefined) return unreported > 0 && amountUsed(limit, loop) === 0;
  const { runs } = loop.totals.spent;
  return runs > 0 && unreported === runs;
}

function unreportedRuns({ reported, changed }: Limit, { totals }: Loop): number {
  if (changed !== undefined) return changed === 'files' ? totals.changed.uncountedFiles : totals.changed.uncountedLines;
  return reported === undefined ? 0 : totals.spent[reported.unreported];
}

/** The limits that are reached. */
export function reachedLimits(loop: Loop): readonly Limit[] {
  return limits.filter((limit) => shareOf(limit, loop) === 1);
}
