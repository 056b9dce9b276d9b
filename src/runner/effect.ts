import type { Loop } from '../core/index.ts';
import type { Fact } from '../protocol/index.ts';
import type { EffectSignals, RunnerPorts } from './ports.ts';

/** What an effect may use. */
export interface Effect extends EffectSignals {
  readonly loop: () => Loop;
  readonly ports: RunnerPorts;
  /** Writes facts at once, for those that must be durable before the effect goes on. */
  readonly record: (facts: readonly Fact[]) => void;
  readonly takeElapsedMs: () => number;
  /** The last thing that was done was a run of the agent. */
  readonly isStraightBehindRun: boolean;
  /** Running time that no fact has accounted for yet. */
  readonly readElapsedMs: () => number;
}
