import { formatDuration, roughDuration } from '../../base/index.ts';
import type { StopReason } from '../../protocol/index.ts';
import type { ShownConfig, ShownLoop } from '../loop/loop.ts';
import type { Spent } from '../loop/spent.ts';

/** One limit that the user may set. */
export interface Limit {
  readonly rule: StopReason;
  /** The bound, where there is one. */
  readonly bound: (config: ShownConfig) => number | undefined;
  readonly used: (loop: ShownLoop) => number;
  /** Runs of which it is not known how much they used. */
  readonly unreported?: (spent: Spent) => number;
  /** An amount, and what it is an amount of. */
  readonly show: (amount: number) => string;
  readonly unit: string;
  /** What is left until it is reached. */
  readonly left: (amount: number) => string;
  /** The option that moves the bound. */
  readonly option: (bound: number) => string;
}

const counted = (one: string, many: string) => ({
  show: String,
  unit: ` ${many}`,
  left: (amount: number) => (amount === 1 ? `1 more ${one}` : `${amount} more ${many}`),
});

/** Every limit, in the order in which they are named. A budget may have ended the agent, so it comes first. */
export const limits: readonly Limit[] = [
  {
    rule: 'max_time',
    bound: ({ maxTime }) => maxTime,
    used: ({ runningMs }) => runningMs,
    show: (amount) => formatDuration(Math.floor(amount)),
    unit: ' running time',
    left: (amount) => `another ${roughDuration(amount)} of running time`,
    option: (bound) => `--max-time "${formatDuration(Math.ceil(bound / 120_000) * 120_000)}"`,
  },
  {
    rule: 'max_tokens',
    bound: ({ maxTokens }) => maxTokens,
    used: ({ spent }) => spent.tokens,
    unreported: ({ unreportedTokens }) => unreportedTokens,
    ...counted('token', 'tokens'),
    option: (bound) => `--max-tokens ${bound}`,
  },
  {
    rule: 'max_output_tokens',
    bound: ({ maxOutputTokens }) => maxOutputTokens,
    used: ({ spent }) => spent.outputTokens,
    unreported: ({ unreportedOutputTokens }) => unreportedOutputTokens,
    ...counted('output token', 'output tokens'),
    option: (bound) => `--max-output-tokens ${bound}`,
  },
  {
    rule: 'max_tool_calls',
    bound: ({ maxToolCalls }) => maxToolCalls,
    used: ({ spent }) => spent.toolCalls,
    unreported: ({ unreportedToolCalls }) => unreportedToolCalls,
    ...counted('tool call', 'tool calls'),
    option: (bound) => `--max-tool-calls ${bound}`,
  },
  {
    rule: 'max_cost',
    bound: ({ maxCostUsd }) => maxCostUsd,
    used: ({ spent }) => spent.costUsd,
    unreported: ({ unreportedCost }) => unreportedCost,
    show: (amount) => `$${amount.toFixed(2)}`,
    unit: '',
    left: (amount) => `another $${amount.toFixed(2)}`,
    option: (bound) => `--max-cost ${Math.ceil(bound * 100 - 0.001) / 100}`,
  },
  {
    rule: 'max_iterations',
    bound: ({ maxIterations }) => (maxIterations === 0 ? undefined : maxIterations),
    used: ({ finished }) => finished,
    ...counted('iteration', 'iterations'),
    option: (bound) => `--max-iterations ${bound}`,
  },
];

/** The limit behind a stop reason, if there is one. */
export function limitOf(reason: StopReason | undefined): Limit | undefined {
  return limits.find(({ rule }) => rule === reason);
}

/** How much of a bound is used, 0 to 1; `null` when no run has told, `undefined` when there is no such bound. */
export function shareOf(limit: Limit, loop: ShownLoop): number | null | undefined {
  const bound = limit.bound(loop.config);
  if (bound === undefined) return undefined;
  const { runs } = loop.spent;
  const isUnknown = runs > 0 && limit.unreported?.(loop.spent) === runs;
  return isUnknown ? null : Math.min(1, limit.used(loop) / bound);
}

/** Where a limit stands, in words: so much of so much. What nobody told is unknown, and never 0. */
export function tellUse(limit: Limit, loop: ShownLoop): string {
  const { show, unit } = limit;
  const untold = limit.unreported?.(loop.spent) ?? 0;
  const used = shareOf(limit, loop) === null ? 'unknown' : show(limit.used(loop));
  const note = untold === 0 ? '' : ` (${untold} ${untold === 1 ? 'run' : 'runs'} reported nothing)`;
  return `${used} of ${show(limit.bound(loop.config) ?? 0)}${unit}${note}`;
}

/** The limits that are reached. */
export function reachedLimits(loop: ShownLoop): readonly Limit[] {
  return limits.filter((limit) => shareOf(limit, loop) === 1);
}

/** Options that give a loop more room, one for each limit that is reached; nothing when none is. */
export function roomFor(loop: ShownLoop): string {
  return reachedLimits(loop)
    .map((limit) => limit.option(2 * Math.max(limit.bound(loop.config) ?? 0, limit.used(loop))))
    .join(' ');
}
