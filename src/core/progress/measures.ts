import type { LoopConfig, Measure } from '../../protocol/index.ts';
import type { KeptMeasure } from '../state/progress.ts';

const maxMeasures = 100;

/**
 * Adds the numbers of a gate. A number has improved only if it is the best in the loop so far: otherwise one that goes
 * up and down, by itself or because an agent undoes and redoes its work, would look like progress forever.
 */
export function rememberMeasures(
  kept: readonly KeptMeasure[],
  measures: readonly Measure[],
  { iteration, config }: { readonly iteration: number; readonly config: LoopConfig },
): readonly KeptMeasure[] {
  const byKey = new Map(kept.map((measure) => [keyOf(measure), measure]));
  for (const measure of measures) {
    const before = byKey.get(keyOf(measure));
    byKey.delete(keyOf(measure));
    byKey.set(keyOf(measure), before === undefined ? { ...measure, best: measure.value } : after(before, measure));
  }
  return [...byKey.values()].slice(-maxMeasures);

  function after(before: KeptMeasure, { value }: Measure): KeptMeasure {
    const isBetter = wantsMore(before, config) ? value > before.best : value < before.best;
    return isBetter ? { ...before, value, best: value, was: before.best, betterIn: iteration } : { ...before, value };
  }
}

/** The name of a measure in texts. */
export function measureName({ of, name }: Measure): string {
  return of === 'metric' ? name : of === 'lint' ? `${name} problems` : `coverage (${name})`;
}

function wantsMore({ of, name }: Measure, { progress }: LoopConfig): boolean {
  if (of !== 'metric') return of === 'coverage';
  return progress.metrics.find((metric) => metric.name === name)?.direction !== 'down';
}

function keyOf({ of, name, check = '' }: Measure): string {
  return `${of}\n${name}\n${check}`;
}
