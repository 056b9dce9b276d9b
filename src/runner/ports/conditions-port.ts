import type { HookContext, ObservableCondition, PlacedCondition } from '../../core/index.ts';
import type { ConditionResult } from '../../protocol/index.ts';
import type { AttemptKey, EffectSignals } from './attempt.ts';

/** The conditions to observe after an attempt. */
export interface ConditionTask extends AttemptKey {
  readonly conditions: readonly PlacedCondition<ObservableCondition>[];
  /** What scripts receive. */
  readonly context: HookContext;
  /** A signal file counts only if it was modified after this. */
  readonly since: string;
  /** An earlier owner may have started this; anything it left running is ended first. */
  readonly isRepeat: boolean;
}

/** Checks files and runs scripts for conditions. Returns only when nothing they started is left. */
export interface ConditionsPort {
  /** `undefined` if it was interrupted. */
  observe(task: ConditionTask, signals: EffectSignals): Promise<readonly ConditionResult[] | undefined>;
}
