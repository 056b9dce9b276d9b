import { amountText, type Spent } from '../../core/index.ts';
import { limits } from '../../protocol/index.ts';

/** What a loop has used, in one line; undefined before its first run. Unreported amounts are unknown, not 0. */
export function spentText(spent: Spent): string | undefined {
  if (spent.runs === 0) return undefined;
  const parts = meters.map(({ limit, total, unreported }) => {
    if (spent[unreported] === spent.runs) return `${limit.many} unknown`;
    return `${spent[unreported] === 0 ? '' : 'at least '}${amountText(limit, spent[total])}`;
  });
  return meters.every(({ unreported }) => spent[unreported] === spent.runs) ? nothingReported : parts.join(', ');
}

/** The same for programs: `null` for what no run has reported. */
export function spentObject(spent: Spent): Record<string, number | null> {
  const unknown = meters.filter(({ unreported }) => spent.runs > 0 && spent[unreported] === spent.runs);
  return { ...spent, ...Object.fromEntries(unknown.map(({ total }) => [total, null])) };
}

const nothingReported = 'unknown: the agent does not report it';

const meters = limits.flatMap((limit) => (limit.reported === undefined ? [] : [{ limit, ...limit.reported }]));

/** The same for many runs, one text each: with the number of runs that did not report it. */
export function reportedText(spent: Spent): readonly string[] {
  if (spent.runs === 0) return [];
  if (meters.every(({ unreported }) => spent[unreported] === spent.runs)) return [nothingReported];
  return meters.map(({ limit, total, unreported }) => {
    const missing = spent[unreported];
    if (missing === spent.runs) return `${limit.many} ${nothingReported}`;
    const note = missing === 0 ? '' : `, without ${missing} of ${spent.runs} runs that reported nothing`;
    const amount = limit.unit === 'money' ? `cost ${amountText(limit, spent[total])}` : amountText(limit, spent[total]);
    return `${missing === 0 ? '' : 'at least '}${amount}${note}`;
  });
}

/** What runs cost; undefined before the first one. What was not reported is unknown, not 0. */
export function costText({
  runs,
  costUsd,
  unreportedCost,
}: Pick<Spent, 'runs' | 'costUsd' | 'unreportedCost'>): string | undefined {
  if (runs === 0) return undefined;
  if (unreportedCost === runs) return 'not reported by the agent';
  const silent =
    unreportedCost === 0 ? '' : ` (${unreportedCost} ${unreportedCost === 1 ? 'run' : 'runs'} reported none)`;
  return `${unreportedCost === 0 ? '' : 'at least '}$${costUsd.toFixed(2)}${silent}`;
}
