/** One promise about speed or size: a subject measured against a floor in the same run. */
export interface BenchCase {
  readonly name: string;
  /** The floor, in words. */
  readonly against: string;
  readonly unit: 'ms' | 'MB' | 'KB' | '';
  /** How far above its floor the subject may be. */
  readonly budget: { readonly plus: number } | { readonly times: number };
  /** The README shows it, in these words. */
  readonly headline?: string;
  /** What explains it where it is over its budget. */
  readonly note?: string;
  readonly runs: number;
  /** Warm-up runs; three, unless every run has its own process. */
  readonly warmUps?: number;
  /** One measurement each. They alternate, so that a busy moment affects both. */
  readonly floor: () => Promise<number>;
  readonly subject: () => Promise<number>;
}

/** What was measured of a case: the medians are held against the budget. */
export interface BenchResult {
  readonly name: string;
  readonly floor: Spread;
  readonly subject: Spread;
}

interface Spread {
  readonly min: number;
  readonly median: number;
}

/** Measures one case; `once` only shows that it works. */
export async function measure(bench: BenchCase, once = false): Promise<BenchResult> {
  const { warmUps, runs } = once ? { warmUps: 0, runs: 1 } : { warmUps: bench.warmUps ?? 3, runs: bench.runs };
  const floors: number[] = [];
  const subjects: number[] = [];
  for (let round = -warmUps; round < runs; round++) {
    const [floor, subject] = [await bench.floor(), await bench.subject()];
    if (round < 0) continue;
    floors.push(floor);
    subjects.push(subject);
  }
  return { name: bench.name, floor: spread(floors), subject: spread(subjects) };
}

/** Whether a result is within the budget of its case. */
export function isWithinBudget({ budget }: BenchCase, { floor, subject }: BenchResult): boolean {
  const most = 'plus' in budget ? floor.median + budget.plus : floor.median * budget.times;
  return subject.median <= most;
}

function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  return { min: sorted[0] ?? Number.NaN, median: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN };
}
