import { parseDuration } from '../../base/index.ts';
import { idleLoop, readSpent, type ShownConfig, type ShownLoop } from '../../core/index.ts';

type Values = Readonly<Record<string, unknown>>;

const streaks = [
  'maxTestFailureStreak',
  'maxNoProgressIterations',
  'maxIterationFailureStreak',
  'maxSameErrorStreak',
] as const;

/** Written with durations in words, at any depth: only the schemas can read them. */
const conditions = ['stop', 'success', 'failure', 'customScripts'] as const;

/**
 * The loop that one of our own snapshots holds, as far as it takes to show it; `undefined` when the schemas are needed
 * to tell, which take longer to make than everything else that a look costs. Only for looking: whoever drives a loop
 * has all of it checked by `fromStateDocument`.
 */
export function glanceAtStateDocument(document: unknown): ShownLoop | undefined {
  const loop = valuesOf(valuesOf(document)['ralphd'])['loop'];
  if (!isOurs(loop)) return undefined;
  // An earlier version did not say how far its proof reaches: that takes all of its settings.
  if (loop['status'] === 'completed' && loop['proof'] === undefined) return undefined;
  const config = shownConfig(valuesOf(loop['config']));
  return config && { ...idleLoop(config), ...loop, spent: readSpent(valuesOf(loop['spent'])), config };
}

function isOurs(loop: unknown): loop is Values & Pick<ShownLoop, 'id' | 'seq'> {
  const { id, seq } = valuesOf(loop);
  return typeof id === 'string' && Number.isInteger(seq);
}

function shownConfig(written: Values): ShownConfig | undefined {
  const { maxIterations, maxTime, maxTokens, maxOutputTokens, maxToolCalls, maxCostUsd, onLimit, hooks } = written;
  const rules = valuesOf(written['stopConditions']);
  const timeMs = typeof maxTime === 'string' ? parseDuration(maxTime) : undefined;
  const isWhole =
    isCount(maxIterations) &&
    (maxTime === undefined || timeMs !== undefined) &&
    isCountOrNone(maxTokens) &&
    isCountOrNone(maxOutputTokens) &&
    isCountOrNone(maxToolCalls) &&
    (maxCostUsd === undefined || typeof maxCostUsd === 'number') &&
    (onLimit === 'fail' || onLimit === 'pause') &&
    streaks.every((name) => isCount(rules[name])) &&
    [hooks, rules['stopOnPatterns']].every(Array.isArray) &&
    conditions.every((name) => isEmpty(rules[name]));
  if (!isWhole) return undefined;
  const stopConditions = rules as ShownConfig['stopConditions'];
  const limits = { maxIterations, maxTime: timeMs, maxTokens, maxOutputTokens, maxToolCalls, maxCostUsd } as const;
  return { ...limits, onLimit, hooks: hooks as readonly unknown[], stopConditions };
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0;
}

function isCountOrNone(value: unknown): value is number | undefined {
  return value === undefined || isCount(value);
}

function valuesOf(value: unknown): Values {
  return typeof value === 'object' && value !== null ? (value as Values) : {};
}
