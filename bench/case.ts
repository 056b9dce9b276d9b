/** One promise about speed or size: a subject measured against a floor in the same run. */
export interface BenchCase {
  readonly name: string;
  /** The floor, in words. */
  readonly against: string;
  readonly unit: 'ms' | 'MB' | 'KB' | '';
  /** How far above its floor the subject may be. */
  readonly budget: { readonly plus: number } | { readonly times: number };
  /** What explains it where it is over its budget. */
  readonly note?: string;
  readonly runs: number;
  /** Warm-up runs; three, unless every run has its own process. */
  readonly warmUps?: number;
  /** One measurement each. They alternate, so that a busy moment affects both. */
  readonly floor: () => Promise<number>;
  readonly subject: () => Promise<number>;
}

/** The result of a case. The minimum is the least disturbed run, so the budget applies to it. */
export interface BenchResult {
  readonly bench: BenchCase;
  readonly floor: Spread;
  readonly subject: Spread;
  readonly withinBudget: boolean;
}

interface Spread {
  readonly min: number;
  readonly median: number;
}

/** Measures one case. */
export async function measure(bench: BenchCase): Promise<BenchResult> {
  const { warmUps = 3 } = bench;
  const floors: number[] = [];
  const subjects: number[] = [];
  for (let round = -warmUps; round < bench.runs; round++) {
    const [floor, subject] = [await bench.floor(), await bench.subject()];
    if (round < 0) continue;
    floors.push(floor);
    subjects.push(subject);
  }
  const [floor, subject] = [spread(floors), spread(subjects)];
  const most = 'plus' in bench.budget ? floor.min + bench.budget.plus : floor.min * bench.budget.times;
  return { bench, floor, subject, withinBudget: subject.min <= most };
}

function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  return { min: sorted[0] ?? Number.NaN, median: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN };
}
