import type { DueHook, HookContext } from '../../core/index.ts';
import type { FactData, HookStep } from '../../protocol/index.ts';
import type { AttemptKey, EffectSignals } from './attempt.ts';

/** The hooks to run in one step, and what they receive. */
export interface HookTask extends AttemptKey {
  readonly point: HookStep;
  /** In order. */
  readonly hooks: readonly DueHook[];
  readonly context: HookContext;
  /** Values from earlier hooks. */
  readonly data: Readonly<Record<string, string>>;
  /** An earlier owner may have begun this step; anything it left running is ended first. */
  readonly isRepeat: boolean;
}

/** The results of the hooks of one step. */
export type HooksRun = Omit<FactData<'hooks.finished'>, 'iteration' | 'attempt' | 'point'>;

/** Runs hooks, one after the other. Returns only when nothing they started is left. */
export interface HooksPort {
  /** `undefined` if it was interrupted. */
  run(task: HookTask, signals: EffectSignals): Promise<HooksRun | undefined>;
}
