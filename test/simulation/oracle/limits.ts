import { standings } from '../../../src/core/index.ts';
import type { StopReason } from '../../../src/protocol/index.ts';
import { callsAtMost, callsWithin } from './calls.ts';
import { reachedConditions } from './conditions.ts';
import { type Invariant, on, onAny } from './invariant.ts';
import type { Ledger } from './ledger.ts';
import { isWithin } from './schedule.ts';

const startMs = 5_000;
const hourMs = 3_600_000;
const longestWaitMs = 8 * 86_400_000;
const mostFailedReboots = 3;

/** Limits take effect, waits last as long as they should, and nothing stops early. */
export const limitInvariants: readonly Invariant[] = [
  on('iteration.started', 'A043, A044: no iteration starts once a limit or stop rule is reached', (ledger, data) => {
    const [rule] = reached(ledger, data.elapsedMs);
    return rule !== undefined && `${rule} was reached`;
  }),
  on('stop_rule.triggered', 'A044: a stop rule is named only when it is reached', (ledger, data) => {
    return !reached(ledger, data.elapsedMs).includes(data.rule) && `${data.rule} was not`;
  }),
  onAny(['loop.ended', 'loop.paused'], 'A044: a loop ends by the rule that was named', (ledger, { fact }) => {
    if (fact.type !== 'loop.ended' && fact.type !== 'loop.paused') return undefined;
    const { reason } = fact.data;
    if (stopRules.has(reason)) return ledger.triggered !== reason && `${reason} without its stop_rule.triggered`;
    // If the owner dies after naming the rule, a requested pause or a full disk may come next.
    const isAskedFor = personal.has(reason) || (reason === 'environment' && ledger.wishes.pause !== undefined);
    return ledger.triggered !== undefined && !isAskedFor && `${ledger.triggered} became ${reason}`;
  }),
  on('loop.ended', 'R4: a loop fails only by a stop rule or a reboot that never works', (ledger, data) => {
    if (data.status !== 'failed' || stopRules.has(data.reason)) return undefined;
    const hopeless = data.reason === 'environment' && ledger.failedReboots >= mostFailedReboots;
    return !hopeless && `it failed with ${data.reason} after ${ledger.failedReboots} failed reboots`;
  }),
  on('loop.paused', 'R4: a limit pauses a loop only when that was wanted', (ledger, { reason }) => {
    if (limits.has(reason)) return ledger.config?.onLimit !== 'pause' && `${reason} paused it`;
    return stopRules.has(reason) && `${reason} paused it instead of ending it`;
  }),
  on('loop.resumed', 'B116: a loop whose limits are used up goes on only with more room', (ledger) => {
    if (ledger.open !== undefined || ledger.earned !== undefined) return undefined;
    const full = reached(ledger, 0).find((rule) => limits.has(rule));
    return full !== undefined && `${full} is used up`;
  }),
  on(
    'iteration.finished',
    'B033, B116: an agent whose budget was used up or whose session was full is not to blame for its end',
    ({ open }, data) => {
      return open?.run?.wasCut === true && data.failure !== undefined && `it failed: ${data.failure.message}`;
    },
  ),
  on('reboot.started', 'R23: a reboot is tried three times in a row at most', ({ failedReboots }) => {
    return failedReboots >= mostFailedReboots && `${failedReboots} have failed`;
  }),
  onAny(
    ['iteration.started', 'reboot.started'],
    'nothing starts before a wait is over',
    ({ wait }, { fact, world }) => {
      // The schedule has its own invariants: after the clock is set back, the time may be within it.
      if (wait?.cause === 'schedule') return undefined;
      return wait !== undefined && world.wallMs < wait.untilMs && `${fact.type} during a wait for ${wait.cause}`;
    },
  ),
  on('iteration.started', 'B062: no iteration starts outside the schedule', ({ config }, _data, { world }) => {
    // Reading the clock, writing and starting take time.
    const isAllowed = [0, startMs].some((ms) => isWithin(config?.schedule, world.wallMs - ms));
    return !isAllowed && `it started at ${new Date(world.wallMs).toISOString()}`;
  }),
  on(
    'wait.scheduled',
    'B062: outside the schedule a loop waits for the time it opens, not longer',
    (ledger, data, { world }) => {
      if (data.cause !== 'schedule') return undefined;
      const isOpenNow = [0, startMs].every((ms) => isWithin(ledger.config?.schedule, world.wallMs - ms));
      if (isOpenNow) return `it may start now, at ${new Date(world.wallMs).toISOString()}`;
      const untilMs = Date.parse(data.until);
      if (!isWithin(ledger.config?.schedule, untilMs)) return `it may not start at ${data.until}`;
      return isWithin(ledger.config?.schedule, untilMs - 60_000) && `it may start before ${data.until}`;
    },
  ),
  on('iteration.started', 'B062: no iteration starts at the bound on API calls in an hour', (ledger, _data, seen) => {
    const { apiCallsPerHour: most = Infinity } = ledger.config?.resources ?? {};
    const made = callsWithin(ledger, seen.world, hourMs - startMs);
    return made >= most && `${made} calls were made`;
  }),
  on('wait.scheduled', 'B062: a loop waits for API calls only at the bound, an hour at most', (ledger, data, seen) => {
    // What is recorded after the clock was set back is only the rest of a wait.
    if (data.cause !== 'rate' || ledger.wait?.cause === 'rate') return undefined;
    if (Date.parse(data.until) > seen.world.wallMs + hourMs) return `until ${data.until}`;
    const { apiCallsPerHour: most = Infinity } = ledger.config?.resources ?? {};
    const made = callsAtMost(ledger, seen.world);
    return made < most && `only ${made} calls were made`;
  }),
  on('iteration.started', 'an attempt that cost nothing is followed by its wait or pause', ({ due }) => {
    return due !== undefined && `${due} had no consequence`;
  }),
  on('wait.scheduled', 'a limit is waited for as long as the provider says', (ledger, { cause, until }, { world }) => {
    if (Date.parse(until) < world.wallMs) return 'the wait is over before it begins';
    if (cause !== 'limit') return undefined;
    // This limit was waited for already, although the clock was set back; the invariants for waits cover that.
    if (ledger.wait !== undefined && ledger.due !== 'limit') return undefined;
    if (ledger.config?.onProviderLimit === 'stop') return 'the loop was to stop at a provider limit';
    const wantedMs = Math.min(ledger.dueResetMs ?? 0, world.wallMs + longestWaitMs);
    return Date.parse(until) < wantedMs && `it ends ${wantedMs - Date.parse(until)} ms early`;
  }),
  on('iteration.finished', 'how near every rule is agrees with what happened', (ledger, data, { after }) => {
    const own = standings(after).filter(({ set }) => set === undefined);
    const near = own.filter((standing) => standing.near !== null && standing.near >= 1);
    const outOfRange = standings(after).find(({ near: share }) => share !== null && !(share >= 0 && share <= 1));
    if (outOfRange !== undefined) return `${outOfRange.rule} is ${outOfRange.near} near`;
    const { maxIterations } = after.config;
    const full = maxIterations > 0 && data.iteration >= maxIterations;
    return near.some(({ rule }) => rule === 'max_iterations') !== full && `max_iterations at ${ledger.finished + 1}`;
  }),
];

const limits: ReadonlySet<StopReason> = new Set([
  'max_iterations',
  'max_time',
  'max_tokens',
  'max_output_tokens',
  'max_tool_calls',
  'max_cost',
  'max_files_changed',
  'max_lines_changed',
] as const);
const stopRules: ReadonlySet<StopReason> = new Set([
  ...limits,
  'no_progress',
  'test_failures',
  'iteration_failures',
  'same_error',
  'pattern',
  'script',
  'condition',
] as const);
const personal: ReadonlySet<StopReason> = new Set(['user_abort', 'user_pause', 'interrupted'] as const);

/** Every limit and stop rule that prevents another iteration, from the ledger's own counters and the time since. */
function reached(ledger: Ledger, aheadMs: number): StopReason[] {
  const { config, finished, tokens, outputTokens, toolCalls, costUsd, streaks, matched, hookStop, changed } = ledger;
  if (config === undefined) return [];
  const rules = config.stopConditions;
  const over = (value: number, bound: number | undefined) => bound !== undefined && bound > 0 && value >= bound;
  const table: readonly (readonly [StopReason, boolean])[] = [
    ['max_iterations', over(finished, config.maxIterations)],
    ['max_time', over(ledger.runningMs + aheadMs, config.maxTime)],
    ['max_tokens', over(tokens, config.maxTokens)],
    ['max_output_tokens', over(outputTokens, config.maxOutputTokens)],
    ['max_tool_calls', over(toolCalls, config.maxToolCalls)],
    ['max_cost', over(costUsd, config.maxCostUsd)],
    ['max_files_changed', over(changed.names.size + changed.unnamed, config.maxFilesChanged)],
    ['max_lines_changed', over(changed.lines, config.maxLinesChanged)],
    ['no_progress', over(streaks.noProgress, rules.maxNoProgressIterations)],
    ['test_failures', over(streaks.tests, rules.maxTestFailureStreak)],
    ['iteration_failures', over(streaks.failures, rules.maxIterationFailureStreak)],
    ['same_error', over(streaks.sameError, rules.maxSameErrorStreak)],
    ['pattern', matched],
    ['script', hookStop],
  ];
  return [...table.filter(([, tripped]) => tripped).map(([rule]) => rule), ...reachedConditions(ledger, aheadMs)];
}
