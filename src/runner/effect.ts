import type { Loop } from '../core/index.ts';
import type { Fact, PulseStep } from '../protocol/index.ts';
import type { EffectSignals } from './ports/attempt.ts';
import type { RunnerPorts } from './ports/runner-ports.ts';

/** What an effect may use. */
export interface Effect extends EffectSignals {
  readonly loop: () => Loop;
  readonly ports: RunnerPorts;
  /** Writes that the effect begins; false when it was interrupted before that, so that nothing may start. */
  readonly begin: (facts: readonly Fact[]) => Promise<boolean>;
  /** Writes facts that must be durable before the effect goes on. */
  readonly record: (facts: readonly Fact[]) => Promise<void>;
  /** Shows what is being done right now; nothing depends on it. */
  readonly pulse: (step: PulseStep) => void;
  readonly takeElapsedMs: () => number;
  /** The last thing that was done was a run of the agent. */
  readonly followsRunDirectly: boolean;
  /** Running time that no fact has accounted for yet. */
  readonly readElapsedMs: () => number;
}
