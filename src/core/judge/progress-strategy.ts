import type { MetricConfig, ProgressStrategy } from '../../protocol/index.ts';
import type { CurrentAttempt } from '../loop/attempt.ts';

/** The kinds of things that an iteration can show. */
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

/** Where a sign was seen. */
type Source = 'tree' | 'tests' | 'checks' | 'numbers' | 'words';

/** One thing that an iteration showed, in words; some count for the score alone. */
export interface Sign {
  readonly kind: SignKind;
  readonly from: Source;
  readonly evidence?: string;
  readonly metric?: MetricConfig | undefined;
}

/** What each strategy looks at, and what it says when it saw nothing of it. */
const strategies: Readonly<
  Record<ProgressStrategy, { readonly sources: readonly Source[]; readonly nothing: string }>
> = {
  combined: {
    sources: ['tree', 'tests', 'checks', 'numbers', 'words'],
    nothing: 'no file changed, HEAD did not move, no check got better',
  },
  file_changes: { sources: ['tree'], nothing: 'no file changed and HEAD did not move' },
  test_results: { sources: ['tests', 'checks'], nothing: 'no test and no check got better' },
  metric_velocity: { sources: ['numbers'], nothing: 'no number got better than it was before' },
  custom_markers: {
    sources: ['tree', 'tests', 'checks', 'numbers', 'words'],
    nothing: 'the agent reported no progress, or nothing bears it out',
  },
};

/** The signs that a strategy counts. Where the agent's word is asked for, it opens the door and proves nothing. */
export function counts(strategy: ProgressStrategy, signs: readonly Sign[]): readonly Sign[] {
  if (strategy === 'custom_markers' && !signs.some(({ from }) => from === 'words')) return [];
  const { sources } = strategies[strategy];
  return signs.filter(({ from }) => sources.includes(from));
}

/** Whether what was looked at is enough to say that there was no progress. */
export function isDecided(strategy: ProgressStrategy, { execution, gate }: CurrentAttempt): boolean {
  const changes = execution?.changes;
  const isUnchanged = changes?.known === true && changes.count === 0 && !changes.headMoved;
  switch (strategy) {
    case 'combined':
    case 'file_changes':
      return changes?.known === true;
    case 'custom_markers':
      return changes?.known === true || (execution?.markers ?? 0) === 0;
    // What did not change cannot have got better, whoever looks at it.
    case 'test_results':
      return gate !== undefined || isUnchanged;
    case 'metric_velocity':
      return (gate?.measures ?? []).length > 0 || isUnchanged;
  }
}

/** Why there is no progress, or why it could not be told. */
export function whatWasMissing(strategy: ProgressStrategy, current: CurrentAttempt): string {
  if (isDecided(strategy, current)) return strategies[strategy].nothing;
  if (strategy === 'test_results') return 'the checks did not run';
  if (strategy === 'metric_velocity') return 'nothing was measured';
  return 'the work tree could not be compared';
}
