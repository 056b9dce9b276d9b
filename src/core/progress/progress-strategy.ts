import type { MetricConfig, ProgressStrategy } from '../../protocol/index.ts';
import type { CurrentAttempt } from '../state/attempt.ts';

/** The kinds of signs of progress. */
export type SignKind =
  | 'changed'
  | 'created'
  | 'testsFixed'
  | 'testsAdded'
  | 'gateFixed'
  | 'buildFixed'
  | 'lintImproved'
  | 'coverageUp'
  | 'metric'
  | 'markers';

/** Where a sign was found. */
type Source = 'tree' | 'tests' | 'checks' | 'numbers' | 'words';

/** One sign of progress in an iteration, with its evidence in words; one without evidence only adds to the score. */
export interface Sign {
  readonly kind: SignKind;
  readonly from: Source;
  readonly evidence?: string;
  readonly metric?: MetricConfig | undefined;
}

/** The sources that each strategy uses, and its text if they show no progress. */
const strategies: Readonly<
  Record<ProgressStrategy, { readonly sources: readonly Source[]; readonly nothing: string }>
> = {
  combined: {
    sources: ['tree', 'tests', 'checks', 'numbers', 'words'],
    nothing: 'no file changed, HEAD did not move, no check improved',
  },
  file_changes: { sources: ['tree'], nothing: 'no file changed and HEAD did not move' },
  test_results: { sources: ['tests', 'checks'], nothing: 'no test and no check improved' },
  metric_velocity: { sources: ['numbers'], nothing: 'no measure improved' },
  custom_markers: {
    sources: ['tree', 'tests', 'checks', 'numbers', 'words'],
    nothing: 'the agent reported no progress, or nothing confirms it',
  },
};

/** The signs that a strategy counts. Where the agent's own report is required, it is a condition and not a proof. */
export function counts(strategy: ProgressStrategy, signs: readonly Sign[]): readonly Sign[] {
  if (strategy === 'custom_markers' && !signs.some(({ from }) => from === 'words')) return [];
  const { sources } = strategies[strategy];
  return signs.filter(({ from }) => sources.includes(from));
}

/** Whether enough is known to rule out progress. */
export function isDecided(strategy: ProgressStrategy, { execution, gate }: CurrentAttempt): boolean {
  const changes = execution?.changes;
  const isUnchanged = changes?.known === true && changes.count === 0 && !changes.headMoved;
  switch (strategy) {
    case 'combined':
    case 'file_changes':
      return changes?.known === true;
    case 'custom_markers':
      return changes?.known === true || (execution?.markers ?? 0) === 0;
    // Unchanged files cannot have improved, whatever the checks find.
    case 'test_results':
      return gate !== undefined || isUnchanged;
    case 'metric_velocity':
      return (gate?.measures ?? []).length > 0 || isUnchanged;
  }
}

/** Why there is no progress, or why it is unknown. */
export function missingEvidence(strategy: ProgressStrategy, current: CurrentAttempt): string {
  if (isDecided(strategy, current)) return strategies[strategy].nothing;
  if (strategy === 'test_results') return 'the checks did not run';
  if (strategy === 'metric_velocity') return 'nothing was measured';
  return 'the work tree could not be compared';
}
