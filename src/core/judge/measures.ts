import type { LoopConfig, Measure } from '../../protocol/index.ts';

/** A number that the gate gave, beside the best of this loop before. */
export interface KeptMeasure extends Measure {
  readonly best: number;
  /** The best before it got better last. */
  readonly was?: number;
  /** The iteration in which it got better last. */
  readonly betterIn?: number;
}

const keptMeasures = 100;

/**
 * Adds the numbers of a gate. Only what is better than ever before in the loop got better: a number that goes up and
 * down, by itself or by an agent that undoes and redoes, would else look like progress for ever.
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
  return [...byKey.values()].slice(-keptMeasures);

  function after(before: KeptMeasure, { value }: Measure): KeptMeasure {
    const isBetter = wantsMore(before, config) ? value > before.best : value < before.best;
    return isBetter ? { ...before, value, best: value, was: before.best, betterIn: iteration } : { ...before, value };
  }
}

/** What a measure is called. */
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
