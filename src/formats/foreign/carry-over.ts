import { isMapping, type Mapping } from './fields.ts';

/**
 * A document of another system, brought up to date: what changed between two documents of ralphd is written, and
 * everything else stays as that system wrote it. Elements that were added to a list are added to its list.
 */
export function carryOver(source: Mapping, before: Mapping, now: Mapping): Mapping {
  const result: Record<string, unknown> = { ...source };
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const [theirs, was, is] = [source[name], before[name], now[name]];
    if (isSame(was, is)) continue;
    if (is === undefined) delete result[name];
    else result[name] = updated(theirs, was, is);
  }
  return result;
}

function updated(theirs: unknown, was: unknown, is: unknown): unknown {
  if (isMapping(is) && isMapping(theirs)) return carryOver(theirs, isMapping(was) ? was : {}, is);
  if (!Array.isArray(is) || !Array.isArray(theirs) || !Array.isArray(was)) return is;
  const known: readonly unknown[] = was;
  const added = is.filter((each) => !known.some((other) => isSame(each, other)));
  return [...(theirs as readonly unknown[]), ...(added as readonly unknown[])];
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
