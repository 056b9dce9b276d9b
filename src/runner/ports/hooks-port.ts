import type { DueHook, HookContext } from '../../core/index.ts';
import type { FactData, HookStep, LoopHookStep } from '../../protocol/index.ts';
import type { AttemptKey, EffectSignals } from './attempt.ts';

/** The hooks to run in one step, and what they receive. */
export interface HookTask {
  /** The attempt they belong to; missing for steps outside of attempts. */
  readonly of?: AttemptKey;
  /** Which of the steps outside of attempts it is, counted from 0. */
  readonly step?: number;
  readonly point: HookStep | LoopHookStep;
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
