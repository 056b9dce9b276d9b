import type { Condition, TestCounts } from '../../../src/protocol/index.ts';
import type { Ledger } from './ledger.ts';

/** The evidence for evaluating conditions, collected from facts alone. */
export interface ConditionLedger {
  readonly looked: Map<string, boolean | null>;
  said: readonly string[];
  error: string | undefined;
  tests: { readonly iteration: number; readonly counts: TestCounts | undefined } | undefined;
  /** The condition that the stop rule names. */
  triggered: string | undefined;
}

/** An empty ledger. */
export function emptyConditions(): ConditionLedger {
  return { looked: new Map(), said: [], error: undefined, tests: undefined, triggered: undefined };
}

/** The counters at one point in time. */
export interface Figures {
  readonly iterations: number;
  readonly runningMs: number;
  readonly noProgress: number;
  readonly testStreak: number;
  readonly tests: TestCounts | undefined;
  readonly error: string | undefined;
}

/** The counters between two iterations. */
export function figuresAtBoundary(ledger: Ledger, aheadMs: number): Figures {
  const { conditions, finished, runningMs, streaks } = ledger;
  const { tests } = conditions;
  return {
    iterations: finished,
    runningMs: runningMs + aheadMs,
    noProgress: streaks.noProgress,
    testStreak: streaks.tests,
    tests: tests !== undefined && tests.iteration >= finished ? tests.counts : undefined,
    error: conditions.error,
  };
}

/** The counters of the open attempt before its gate runs. */
export function figuresBeforeGate(ledger: Ledger, error: string | undefined): Figures {
  const { open, runningMs, streaks } = ledger;
  const made = progressBeforeGate(ledger);
  const stuck = made === false ? streaks.noProgress + 1 : streaks.noProgress;
  return {
    iterations: open?.iteration ?? 0,
    runningMs,
    noProgress: made === true ? 0 : stuck,
    testStreak: streaks.tests,
    tests: undefined,
    error,
  };
}

/** Whether an attempt made progress, as far as this is known without its gate. */
function progressBeforeGate({ open, config }: Ledger): boolean | null {
  const { changes, markers = 0 } = open?.run ?? {};
  const moved = changes?.known === true ? changes.count > 0 || changes.headMoved : null;
  switch (config?.progress.strategy) {
    case 'custom_markers':
      return markers === 0 ? false : moved;
    case 'test_results':
    case 'metric_velocity':
      return moved === false ? false : null;
    default:
      return moved;
  }
}

/** No is 0, unknown is 1, yes is 2: `all` is the minimum, `any` the maximum, `not` the inverse. */
type Truth = 0 | 1 | 2;

/** Evaluates a condition independently of the rules under test. */
export function truthOf(
  { key, condition }: { readonly key: string; readonly condition: Condition },
  figures: Figures,
  ledger: ConditionLedger,
): Truth {
  const inside = (inner: Condition, step: string) =>
    truthOf({ key: `${key}.${step}`, condition: inner }, figures, ledger);
  switch (condition.type) {
    case 'all':
      return Math.min(...condition.conditions.map((inner, at) => inside(inner, `conditions.${at}`))) as Truth;
    case 'any':
      return Math.max(...condition.conditions.map((inner, at) => inside(inner, `conditions.${at}`))) as Truth;
    case 'not':
      return (2 - inside(condition.condition, 'condition')) as Truth;
    case 'never':
      return 0;
    case 'max_iterations':
      return yes(figures.iterations >= condition.count);
    case 'max_duration':
      return yes(figures.runningMs >= condition.duration);
    case 'no_progress':
      return yes(figures.noProgress >= condition.count);
    case 'test_failure_streak':
      return yes(figures.testStreak >= condition.count);
    case 'all_tests_pass':
      return figures.tests === undefined ? 1 : yes(figures.tests.failed === 0);
    case 'specific_tests_pass':
      return figures.tests === undefined ? 1 : named(condition.tests, figures.tests);
    case 'on_error':
      return yes(figures.error !== undefined && new RegExp(condition.pattern ?? '', 'u').test(figures.error));
    case 'output_pattern':
      return yes(ledger.said.includes(key));
    case 'file_created':
    case 'file_contains':
    case 'custom_script':
    case 'user_signal': {
      const looked = ledger.looked.get(key);
      return looked === undefined || looked === null ? 1 : yes(looked);
    }
  }
}

function yes(holds: boolean): Truth {
  return holds ? 2 : 0;
}

function named(names: readonly string[], { failing, passing = [] }: TestCounts): Truth {
  if (names.some((name) => failing.includes(name))) return 0;
  return names.every((name) => passing.includes(name)) ? 2 : 1;
}
