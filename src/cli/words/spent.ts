import { amountText, type Spent } from '../../core/index.ts';
import { limits } from '../../protocol/index.ts';

/** What a loop has used, in one line; undefined before its first run. What the agent did not report is unknown, not 0. */
export function spentText(spent: Spent): string | undefined {
  if (spent.runs === 0) return undefined;
  const parts = meters.map(({ limit, total, unreported }) => {
    if (spent[unreported] === spent.runs) return `${limit.many} unknown`;
    return `${spent[unreported] === 0 ? '' : 'at least '}${amountText(limit, spent[total])}`;
  });
  return meters.every(({ unreported }) => spent[unreported] === spent.runs)
    ? 'unknown: the agent does not report it'
    : parts.join(', ');
}

/** The same for programs: `null` for what no run has reported. */
export function spentObject(spent: Spent): Record<string, number | null> {
  const unknown = meters.filter(({ unreported }) => spent.runs > 0 && spent[unreported] === spent.runs);
  return { ...spent, ...Object.fromEntries(unknown.map(({ total }) => [total, null])) };
}

const meters = limits.flatMap((limit) => (limit.reported === undefined ? [] : [{ limit, ...limit.reported }]));
