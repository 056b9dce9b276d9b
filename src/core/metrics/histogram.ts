/** How often values fell into each of a fixed set of ranges. */
export interface Histogram {
  /** The upper bounds, ascending; a value belongs to the first range that has room for it. */
  readonly bounds: readonly number[];
  /** How many values belong to each range; the last range has no bound. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** No value yet. */
export function emptyHistogram(bounds: readonly number[]): Histogram {
  return { bounds, counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0 };
}

/** One more value. */
export function observe({ bounds, counts, sum }: Histogram, value: number): Histogram {
  const found = bounds.findIndex((bound) => value <= bound);
  const range = found === -1 ? bounds.length : found;
  return { bounds, counts: counts.with(range, (counts[range] ?? 0) + 1), sum: sum + value };
}

/** The values of two histograms with the same ranges. */
export function addHistograms(one: Histogram, other: Histogram): Histogram {
  return {
    bounds: one.bounds,
    counts: one.counts.map((count, range) => count + (other.counts[range] ?? 0)),
    sum: one.sum + other.sum,
  };
}

/** How many values there are. */
export function countOf({ counts }: Histogram): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** How many values are at most as large as each bound; the last number is that of all values. */
export function cumulative({
  bounds,
  counts,
}: Histogram): readonly { readonly bound: number; readonly count: number }[] {
  let count = 0;
  return [...bounds, Number.POSITIVE_INFINITY].map((bound, range) => {
    count += counts[range] ?? 0;
    return { bound, count };
  });
}
