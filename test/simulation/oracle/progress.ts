import type { FactData, Measure, ProgressStrategy, TestCounts } from '../../../src/protocol/index.ts';
import { type Invariant, on } from './invariant.ts';
import type { Ledger, OpenAttempt } from './ledger.ts';

/** The signs of progress that the oracle observed in an iteration. */
export type Shown = 'tree' | 'tests' | 'checks' | 'numbers';

const counted: Readonly<Record<ProgressStrategy, readonly Shown[]>> = {
  combined: ['tree', 'tests', 'checks', 'numbers'],
  file_changes: ['tree'],
  test_results: ['tests', 'checks'],
  metric_velocity: ['numbers'],
  custom_markers: ['tree', 'tests', 'checks', 'numbers'],
};

/** Progress rests on evidence that ralphd observed itself, of the kind that the strategy counts. */
export const progressInvariants: readonly Invariant[] = [
  on(
    'iteration.finished',
    'R16, B050: progress is made only by what the strategy counts, never by words alone',
    ({ open, config }, { progress }) => {
      if (progress.made !== true || config === undefined || open === undefined) return false;
      const { strategy } = config.progress;
      const words = open.run?.markers ?? 0;
      if (strategy === 'custom_markers' && words === 0) return 'progress that the agent did not report';
      const shown = shownBy(open);
      return (
        !shown.some((kind) => counted[strategy].includes(kind)) && `${strategy} with ${shown.join(', ') || 'nothing'}`
      );
    },
  ),
  on('gate.finished', 'B044, B046: at most a thousand tests are remembered, each once', (_ledger, _data, { after }) => {
    const ids = new Set(after.tests.memory.map(({ name, file = '' }) => `${file} ${name}`));
    const results = after.tests.memory.find(({ results: all }) => !/^[pf]{1,20}$/u.test(all));
    return (ids.size !== after.tests.memory.length || ids.size > 1_000 || results !== undefined) && `${ids.size} tests`;
  }),
  on(
    'gate.finished',
    'B045: a test that is remembered as failing now is one that this gate named',
    (_ledger, data, seen) => {
      if (data.tests === undefined || data.tests.total === 0) return false;
      const { failing } = data.tests;
      const now = seen.after.tests.memory.filter(
        ({ results, untold }) => untold === undefined && results.endsWith('f'),
      );
      return now.map(({ name }) => name).find((name) => !failing.includes(name));
    },
  ),
];

function shownBy({ run, shown }: OpenAttempt): readonly Shown[] {
  const changes = run?.changes;
  const moved = changes?.known === true && (changes.count > 0 || changes.headMoved);
  return [...(moved ? (['tree'] as const) : []), ...shown];
}

/** Records the signs of progress in a gate, compared with the previous gate. */
export function enterGate(
  ledger: Ledger,
  data: Pick<FactData<'gate.finished'>, 'checks' | 'tests' | 'measures'>,
): void {
  const { open, gateBefore, best } = ledger;
  if (open !== undefined) {
    if (hasFixed(ledger.tests, data.tests)) open.shown.add('tests');
    if (data.checks.some(({ command, verdict }) => verdict === 'passed' && gateBefore.get(command) === false)) {
      open.shown.add('checks');
      ledger.checksIn = open.iteration;
    }
  }
  for (const measure of data.measures ?? []) {
    const before = best.get(measure.name);
    if (before !== undefined && !isBetter(measure, before)) continue;
    best.set(measure.name, measure.value);
    if (before === undefined || open === undefined) continue;
    open.shown.add('numbers');
    ledger.numbersIn = open.iteration;
  }
  for (const { command, verdict } of data.checks) gateBefore.set(command, verdict === 'passed');
}

function hasFixed(before: TestCounts | undefined, after: TestCounts | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  return before.failing.some((name) => after.passing?.includes(name));
}

function isBetter({ of, value }: Measure, before: number): boolean {
  return of === 'lint' ? value < before : value > before;
}
